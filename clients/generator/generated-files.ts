// Owns the list of generated files and the text that each must have for the current API.

import { openApiDocument } from "../../src/transports/http/openapi/openapi.ts";
import { readApi } from "./api.ts";
import { pythonFiles } from "./python.ts";
import { typescriptFiles } from "./typescript.ts";

/** Text of each file by its path below clients/. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const document = openApiDocument();
  const api = readApi(document);
  return {
    "openapi.json": `${JSON.stringify(document, null, 2)}\n`,
    ...below("python/src/memledger/_generated", pythonFiles(api)),
    ...below("typescript/src/generated", typescriptFiles(api)),
  };
}

function below(folder: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}
