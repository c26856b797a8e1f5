// Owns the error responses of the OpenAPI document. Every code comes from the operation.

import type { Feature } from "../../../access/plan.ts";
import { exchangeOf, type InstallationOperation } from "../../../calls/contract/operation.ts";
import { type ErrorCode, errorMeaning, errorStatus } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import type { ApiRoute } from "../routes.ts";

/** Error codes of every operation. */
const commonCodes: readonly ErrorCode[] = [1400, 1401, 1403, 1421, 1429, 1500, 1503];
const bodyCodes: readonly ErrorCode[] = [1413, 1415];
const featureCodes: Readonly<Record<Feature, readonly ErrorCode[]>> = {
  memory: [2106],
  audit: [2200],
  export: [2200, 2202],
  gateway: [],
};

/** All error codes of a route. */
export function refusalsOf({ operation, method }: ApiRoute): ErrorCode[] {
  const own =
    operation.scope === "project"
      ? [...featureCodes[operation.feature], ...operation.refusals]
      : administrationCodes(operation);
  const codes = new Set([...commonCodes, ...(method === "GET" ? [] : bodyCodes), ...own]);
  return [...codes].sort((a, b) => a - b);
}

/** Those that name a project, a key or a record may find none. */
function administrationCodes({ input: { properties } }: InstallationOperation): ErrorCode[] {
  if ("record" in properties) return [2204];
  return "project" in properties || "key" in properties ? [1404] : [];
}

/**
 * The error responses of a route by status. Each is a component, named after its codes and shared by the routes with the same codes. All
 * have the schema Refusal: a schema for each set of codes would add a type for each set to generated clients.
 */
export function describeRefusals(route: ApiRoute, responses: Map<string, JsonObject>): JsonObject {
  const byStatus = Map.groupBy(refusalsOf(route), (code) => errorStatus[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const isExchange = exchangeOf(route.operation) !== undefined;
      const name = `${isExchange ? "Gateway" : ""}Refused${codes.join("Or")}`;
      if (!responses.has(name)) {
        const content = isExchange ? upstreamError : describeEnvelope(codes);
        responses.set(name, describeResponse(status, codes, content));
      }
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** As servers of the API write errors. Anthropic's differ from OpenAI's. */
const upstreamError: JsonObject = {
  "application/json": { schema: { $ref: "#/components/schemas/JsonObject" } },
};

function describeEnvelope(codes: readonly ErrorCode[]): JsonObject {
  return {
    "application/json": {
      schema: { $ref: "#/components/schemas/Refusal" },
      examples: Object.fromEntries(codes.map((code) => [code, refusalExample(code)])),
    },
  };
}

function describeResponse(status: number, codes: readonly ErrorCode[], content: JsonObject): JsonObject {
  return {
    description: codes.map((code) => `${code}: ${errorMeaning[code]}`).join("; "),
    ...(status === 429 || status === 503 ? { headers: { "Retry-After": retryAfter } } : {}),
    content,
  };
}

const retryAfter = { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 } };

export const refusalSchema: JsonObject = {
  title: "Refusal",
  description: "The answer to a call that was refused or failed. Nothing was changed.",
  type: "object",
  required: ["success", "code", "message", "data"],
  properties: {
    success: { const: false },
    code: {
      type: "integer",
      description: "The error code. Each response lists its possible codes.",
    },
    message: { type: "string", description: "What is wrong and what to do next." },
    data: {
      $ref: "#/components/schemas/JsonObject",
      description: "Details, such as the field and the reason; {} if there are none.",
    },
  },
};

function refusalExample(code: ErrorCode): JsonObject {
  const message = errorMeaning[code];
  return { summary: message, value: { success: false, code, message, data: {} } };
}
