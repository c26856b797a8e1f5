// The only imports of the product in this folder, so that a move of its files changes one place. Everything else is seen from outside.

export { permissions } from "../../src/access/key.ts";
export { consoleOperations } from "../../src/calls/arrival/console-operations.ts";
export { exchangeOf } from "../../src/calls/contract/operation.ts";
export { installationOperations, otherOperations, projectOperations } from "../../src/calls/operations.ts";
export { errorMeaning, errorStatus } from "../../src/platform/errors.ts";
export { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
export { locate } from "../../src/server/data-directory/data-directory.ts";
export { apiRoutes } from "../../src/transports/http/administration-routes.ts";
export { type ApiRoute, pathParameters, takesBody } from "../../src/transports/http/routes.ts";
export { callerHeader, keyHeader, printCaller } from "../../src/transports/local-socket/local-caller.ts";
