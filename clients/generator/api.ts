// Owns what the generators read from an OpenAPI document: the resources with their methods, and the models. Must throw for whatever it
// does not know, because a client whose types are wrong is worse than none.

import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import {
  fieldsOf,
  type Model,
  modelsOf,
  referenceName,
  type Field as SchemaField,
  writable,
} from "./models.ts";

export type Field = SchemaField;

export interface Api {
  readonly version: string;
  readonly resources: readonly Resource[];
  readonly models: readonly Model[];
}

/** What a client has as a property, such as `client.memories`. */
export interface Resource {
  readonly name: string;
  readonly description: string;
  readonly methods: readonly Method[];
}

export interface Method {
  readonly operationId: string;
  /** Without the name of the resource: `delete`, `all` of memoryDeleteAll. */
  readonly words: readonly string[];
  readonly httpMethod: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly pathFields: readonly Field[];
  readonly queryFields: readonly Field[];
  readonly body: Body | null;
  readonly answer: { readonly kind: "model"; readonly name: string } | { readonly kind: "none" | "file" };
  readonly isIdempotent: boolean;
  readonly mayRunLong: boolean;
  /** Null: the answer is no page of a list. */
  readonly pages: Pages | null;
}

export interface Body {
  readonly name: string;
  readonly isRequired: boolean;
  readonly fields: readonly Field[];
}

export interface Pages {
  /** Name of the method that reads all pages: `iterate` of `list`, `iterate`, `tags` of `tags`. */
  readonly words: readonly string[];
  /** Field of the answer with the items, and their model. */
  readonly items: string;
  readonly model: string;
}

/** @throws Error for a document that has something unknown */
export function readApi(document: JsonObject): Api {
  const schemas = at(document, "components", "schemas");
  const models = modelsOf(schemas);
  const context: Context = { document, schemas, models };
  const operations = Object.entries(at(document, "paths")).flatMap(([path, methods]) =>
    Object.entries(asObject(methods, path))
      // Official clients of these APIs exist.
      .filter(([, operation]) => !flag(asObject(operation, path)["x-exchange"] ?? false))
      .map(([httpMethod, operation]) => ({
        resource: resourceName(path),
        method: readMethod(path, httpMethod, asObject(operation, path), context),
        tag: tagOf(asObject(operation, path)),
      })),
  );
  const byResource = Map.groupBy(operations, ({ resource }) => resource);
  return {
    version: text(at(document, "info").version),
    models,
    resources: [...byResource].map(([name, members]) => {
      const description = tagDescription(document, members[0]?.tag ?? "");
      return { name, description, methods: requireUnique(members.map(({ method }) => method)) };
    }),
  };
}

/** @throws Error for two methods of one name */
function requireUnique(methods: readonly Method[]): readonly Method[] {
  const names = methods.flatMap(({ words, pages }) => [words, ...(pages === null ? [] : [pages.words])]);
  const written = names.map((words) => words.join("_"));
  const twice = written.find((name, index) => written.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two methods have the name ${twice}`);
  return methods;
}

interface Context {
  readonly document: JsonObject;
  readonly schemas: JsonObject;
  readonly models: readonly Model[];
}

/**
 * `/v1/memories/search` belongs to `memories`, `/v1/admin/keys` to `keys`, and conversations to none of them: `/v1/conversations` is a path of the
 * API of OpenAI, which the gateway forwards.
 */
function resourceName(path: string): string {
  const [, name] = /^\/v1\/(?:admin\/|memories\/(?=conversations\b))?([a-z]+)(?:\/|$)/.exec(path) ?? [];
  if (name === undefined) throw new Error(`${path} belongs to no resource`);
  return name;
}

function readMethod(path: string, httpMethod: string, operation: JsonObject, context: Context): Method {
  const operationId = text(operation.operationId);
  const words = wordsOf(operationId, tagOf(operation));
  const own = array(operation.parameters).map((each) => asObject(each, path));
  // X-Audit-Metadata is an option of every call.
  const others = own.filter(({ $ref }) => $ref !== "#/components/parameters/AuditMetadata");
  // A method that has nothing but the subject to ask for gets it from the client.
  const isAskedAlone = others.every(({ in: place, name }) => place === "path" || name === "subject");
  const parameters = isAskedAlone ? others.filter(({ in: place }) => place === "path") : others;
  const inside = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const asked = readBody(operation, context);
  const body = asked?.fields.every(({ name }) => name === "subject") === true ? null : asked;
  const answer = readAnswer(operation, context);
  const queryFields = fieldsOf(inside("query").map(parameterSchema), context.schemas);
  const method: Method = {
    operationId,
    words,
    httpMethod: httpMethod.toUpperCase(),
    path,
    summary: text(operation.summary),
    description: text(operation.description),
    pathFields: fieldsOf(inside("path").map(parameterSchema), context.schemas),
    queryFields,
    body,
    answer,
    isIdempotent: flag(asObject(operation["x-effects"], operationId).idempotent),
    mayRunLong: flag(operation["x-may-run-long"]),
    pages: readPages(words, queryFields, answer, context),
  };
  const read = method.pathFields.length + queryFields.length;
  if (read !== parameters.length) throw new Error(`${operationId} has a parameter in an unknown place`);
  if (body !== null && queryFields.length > 0) throw new Error(`${operationId} has a body and a query`);
  return method;
}

function parameterSchema(parameter: JsonObject) {
  const description = text(parameter.description);
  const inJson = () => at(parameter, "content", "application/json", "schema");
  const schema: JsonObject = {
    ...(parameter.schema === undefined ? inJson() : asObject(parameter.schema, "parameter")),
    description,
  };
  return { name: text(parameter.name), schema, isRequired: flag(parameter.required) };
}

function readBody(operation: JsonObject, { schemas }: Context): Body | null {
  if (operation.requestBody === undefined) return null;
  const { required, content } = asObject(operation.requestBody, "requestBody");
  const name = referenceName(at(asObject(content, "content"), "application/json", "schema"));
  const schema = at(schemas, name);
  const mandatory = array(schema.required ?? []);
  const fields = writable(at(schema, "properties")).map(([field, type]) => ({
    name: field,
    schema: type,
    isRequired: mandatory.includes(field),
  }));
  return { name, isRequired: flag(required), fields: fieldsOf(fields, schemas) };
}

function readAnswer(operation: JsonObject, { schemas }: Context): Method["answer"] {
  const responses = asObject(operation.responses, "responses");
  const successes = Object.keys(responses).filter((status) => status.startsWith("2"));
  if (successes.includes("206")) return { kind: "file" };
  if (successes.join() === "204") return { kind: "none" };
  const [envelope = "", ...others] = new Set(
    successes.map((status) => referenceName(at(responses, status, "content", "application/json", "schema"))),
  );
  if (others.length > 0) throw new Error(`${text(operation.operationId)} has several successful answers`);
  return { kind: "model", name: referenceName(at(schemas, envelope, "properties", "data")) };
}

function readPages(
  words: readonly string[],
  query: readonly Field[],
  answer: Method["answer"],
  { models }: Context,
): Pages | null {
  if (!query.some(({ name }) => name === "cursor") || answer.kind !== "model") return null;
  const page = models.find(({ name }) => name === answer.name);
  if (page?.kind !== "object") throw new Error(`the page ${answer.name} is no object`);
  const lists = page.fields.flatMap(({ name, type }) =>
    type.kind === "array" && type.items.kind === "reference" ? [{ items: name, model: type.items.name }] : [],
  );
  const [list, ...others] = lists;
  if (list === undefined || others.length > 0) throw new Error(`the page ${answer.name} has not one list`);
  const iterate = ["iterate", ...words.filter((word) => word !== "list")];
  return { ...list, words: iterate };
}

/** memoryDeleteAll of the tag Memory: `delete`, `all`. */
function wordsOf(operationId: string, tag: string): string[] {
  const words = operationId.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(" ");
  if (words[0] !== tag.toLowerCase() || words.length < 2)
    throw new Error(`${operationId} does not begin with its tag ${tag}`);
  return words.slice(1);
}

function tagOf(operation: JsonObject): string {
  const [tag] = array(operation.tags);
  return text(tag);
}

function tagDescription(document: JsonObject, name: string): string {
  const tag = array(document.tags)
    .map((each) => asObject(each, "tag"))
    .find((each) => each.name === name);
  return typeof tag?.description === "string" ? tag.description : "";
}

/** The object at the end of these names. @throws Error if there is none */
function at(object: JsonObject, ...names: readonly string[]): JsonObject {
  return names.reduce((inner, name) => asObject(inner[name], name), object);
}

function asObject(value: Json | undefined, where: string): JsonObject {
  if (!isObject(value)) throw new Error(`${where} is no object: ${JSON.stringify(value)}`);
  return value;
}

function array(value: Json | undefined): readonly Json[] {
  if (!Array.isArray(value)) throw new Error(`no array: ${JSON.stringify(value)}`);
  return value;
}

function text(value: Json | undefined): string {
  if (typeof value !== "string") throw new Error(`no text: ${JSON.stringify(value)}`);
  return value;
}

function flag(value: Json | undefined): boolean {
  if (typeof value !== "boolean") throw new Error(`neither true nor false: ${JSON.stringify(value)}`);
  return value;
}
