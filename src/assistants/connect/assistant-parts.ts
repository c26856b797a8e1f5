// Owns what the descriptions of assistants have in common: where files are, references to the key, and how strictly JSON is read. Knows no
// assistant.

import { join } from "node:path";
import type { Json, JsonObject } from "../../platform/json/json.ts";
import { apiKeyVariable } from "../../server/config/client-variables.ts";
import { homeOf, type Places } from "./places.ts";
import type { Target } from "./server-entry.ts";

export const inHome =
  (...names: string[]) =>
  (places: Places) =>
    join(homeOf(places), ...names);
export const inProject =
  (...names: string[]) =>
  ({ project }: Places) =>
    join(project, ...names);

/** Headers with the key itself, or with a reference to the variable in the syntax of the assistant. */
export function headers(target: Target & { kind: "remote" }, reference: string): JsonObject {
  return { Authorization: `Bearer ${target.key ?? reference}`, ...subjectHeader(target) };
}

/** {}: the memories are those of the project itself. */
export function subjectHeader({ subject }: Target): JsonObject {
  return subject === null ? {} : { "Memledger-Subject": subject };
}

export const dollar = `\${${apiKeyVariable}}`;
export const dollarEnv = `\${env:${apiKeyVariable}}`;

export const strict = { comments: false, trailingCommas: false, byteOrderMark: true };
export const lenient = { comments: true, trailingCommas: true, byteOrderMark: true };

export const isText = (value: Json | undefined) => typeof value === "string";
export const isSwitch = (value: Json | undefined) => typeof value === "boolean";
