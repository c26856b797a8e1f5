// Owns how names, types and docstrings are written in Python.

import type { Method } from "./api.ts";
import type { Type } from "./models.ts";
import { wrap } from "./text.ts";

/** The type of what a caller gives: any mapping, any sequence. */
export function requestType(type: Type, isModel: (name: string) => boolean): string {
  switch (type.kind) {
    case "array":
      return `Sequence[${requestType(type.items, isModel)}]`;
    case "union":
      return [...new Set(type.members.map((member) => requestType(member, isModel)))].join(" | ");
    case "reference":
      return isModel(type.name) ? "Mapping[str, Any]" : type.name;
    case "literals":
      return literals(type.values);
    default:
      return plainTypes[type.kind];
  }
}

/** The type of what a caller reads. */
export function answerType(type: Type): string {
  switch (type.kind) {
    case "array":
      return `list[${answerType(type.items)}]`;
    case "union":
      return type.members.map(answerType).join(" | ");
    case "reference":
      return type.name;
    case "literals":
      return literals(type.values);
    default:
      return plainTypes[type.kind];
  }
}

const plainTypes = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
  any: "Any",
  object: "Mapping[str, Any]",
} as const;

export const literals = (values: readonly string[]) =>
  `Literal[${values.map((value) => JSON.stringify(value)).join(", ")}]`;

export function returnedName(answer: Method["answer"], isAsync: boolean): string {
  if (answer.kind === "model") return answer.name;
  if (answer.kind === "none") return "None";
  return isAsync ? "AsyncDownload" : "Download";
}

/** auditExportList becomes AUDIT_EXPORT_LIST. */
export function constantName(operationId: string): string {
  return operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** No lines for an empty text. */
export function docstring(text: string): string[] {
  // Only a quotation mark beside another one, or at the end, could end the literal.
  const safe = text
    .trim()
    .replaceAll("\\", "\\\\")
    .replaceAll(/"(?="|$)/g, '\\"');
  if (safe === "") return [];
  const [first = "", ...others] = wrap(safe, 100);
  return others.length === 0 ? [`"""${first}"""`] : [`"""${first}`, ...others, '"""'];
}
