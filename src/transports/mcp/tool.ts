// Owns the type Tool: how a tool of MCP uses one operation, and the JSON Schemas that clients get of it. Adds no rule: names and texts only.

import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Answer } from "../../calls/contract/answer.ts";
import type { ProjectOperation } from "../../calls/contract/operation.ts";
import { Refusal } from "../../platform/errors.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import { type NamedSchemas, toAnswerSchema, toRequestSchema } from "../../platform/schema/json-schema.ts";
import { Fields } from "../../platform/schema/schema.ts";
import { shortenName } from "../../platform/text/characters.ts";
import { endSentence } from "../../platform/text/sentence.ts";
import { unknownReason } from "../../platform/text/suggestion.ts";

export interface Tool {
  readonly name: string;
  /** For the model: what the tool does, and when to use it. */
  readonly description: string;
  readonly operation: ProjectOperation;
  /** Only connections that may perform this operation, too, see the tool in their list. Absent: all that may perform its own. */
  readonly listedWith?: ProjectOperation;
  /** By the name of the argument, in the order in which clients show them. */
  readonly arguments: Readonly<Record<string, ToolArgument>>;
  /** Fields of the operation that every call of the tool has. */
  readonly fixed?: JsonObject;
  /** Schema of what `present` returns. */
  readonly output: TObject;
  /** The structured result. @param data of the answer; {} if the operation has none. @param sent the arguments of the call */
  present(data: JsonObject, sent: JsonObject): JsonObject;
  /** The same for clients that show text only. */
  describe(shown: JsonObject): string;
  /** The structured result of a refusal that is no error for a model; null: it is an error. */
  presentRefusal?(answer: Answer, data: JsonObject): JsonObject | null;
}

export interface ToolArgument {
  /** Name of the field of the operation. */
  readonly field: string;
  /** Replaces the description of the field, which is written for programmers; absent: the name says enough. */
  readonly description?: string;
  /** The operation can do without the field, but only with another one that the tool does not have. */
  readonly isRequired?: true;
}

/** The tool for a connection whose calls have to name their subject. */
export function namingSubject(tool: Tool): Tool {
  return { ...tool, arguments: { subject, ...tool.arguments } };
}

/** Short, because a model reads it with each tool. A model that guessed would write to the memory of somebody else. */
const subject: ToolArgument = {
  field: "subject",
  description: "Whose memories: the name that you were given. Never guess one.",
  isRequired: true,
};

/** The input of the operation for the arguments of a call. `fault`: an argument that the tool does not have; null: none. */
export function toOperationInput(
  { arguments: known, fixed = {} }: Pick<Tool, "arguments" | "fixed">,
  sent: JsonObject,
): { readonly fields: JsonObject; readonly fault: Refusal | null } {
  const unknown = Object.keys(sent).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) return { fields: {}, fault: unknownArgument(unknown, known) };
  const renamed = Object.entries(sent).map(([name, value]) => [known[name]?.field ?? name, value]);
  return { fields: { ...Object.fromEntries(renamed), ...fixed }, fault: null };
}

function unknownArgument(name: string, known: Tool["arguments"]): Refusal {
  const field = shortenName(name);
  // A model that knows the API sends the name of the field.
  const meant = Object.entries(known).find((each) => each[1].field === name)?.[0];
  const reason =
    meant === undefined
      ? unknownReason(name, Object.keys(known), "arguments")
      : `is unknown; did you mean "${meant}"?`;
  return new Refusal(1400, endSentence(`Argument "${field}" ${reason}`), {
    field,
    reason,
  });
}

/** The message of a refusal in the words of the tool: the arguments have other names than the fields of the operation. */
export function inWordsOf({ arguments: known }: Tool, message: string): string {
  return Object.entries(known).reduce((text, [name, { field }]) => {
    const named = text.replaceAll(new RegExp(`Field "${field}(/[^"]*)?"`, "g"), `Argument "${name}$1"`);
    // In a list of fields. What a client has sent is in quotation marks.
    return name === field ? named : named.replaceAll(new RegExp(`(?<= )${field}(?=[,.])`, "g"), name);
  }, message);
}

/** The tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  description: string;
  inputSchema: { type: "object" } & Record<string, unknown>;
  outputSchema: { type: "object" } & Record<string, unknown>;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

export function toListed(tool: Tool): ListedTool {
  const { readOnly, destructive, idempotent } = tool.operation.effects;
  const { properties } = tool.operation.input;
  const inputs = Object.entries(tool.arguments).map(([name, argument]) => {
    const schema = properties[argument.field];
    if (schema === undefined) throw new Error(`${tool.operation.name} has no field ${argument.field}`);
    const described = withoutTexts(schema, argument.description);
    return [name, argument.isRequired === true ? Type.Optional(described, false) : described] as const;
  });
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: asObject(Fields(Object.fromEntries(inputs)), toRequestSchema),
    outputSchema: asObject(tool.output, toAnswerSchema),
    // All memories are of this project, so no tool reaches an open world.
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: false,
    },
  };
}

function asObject(schema: TObject, translate: (schema: TSchema, named: NamedSchemas) => JsonObject) {
  const named: NamedSchemas = { pointer: "#/$defs", byName: new Map() };
  const { type: _, ...rest } = translate(schema, named);
  const definitions = named.byName.size === 0 ? {} : { $defs: Object.fromEntries(named.byName) };
  return { type: "object" as const, ...rest, ...definitions };
}

/** Each tool is read by a model, at the cost of its context: a schema says there what a model could not guess, and no more. */
function withoutTexts(schema: TSchema, description: string | undefined): TSchema {
  const { title, examples, pattern, not, minLength, description: longer, ...rest } = schema;
  const { anyOf, items } = rest;
  return Type.Unsafe({
    ...rest,
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((each) => withoutTexts(each, undefined)) } : {}),
    ...(items === undefined ? {} : { items: withoutTexts(items, undefined) }),
    ...(description === undefined ? {} : { description }),
  });
}
