// Owns the OpenAPI 3.1 document, generated from the table of routes and the operations' own schemas. Must never repeat by hand
// what an operation describes.

import { permissions } from "../../../access/key.ts";
import { exchangeOf } from "../../../calls/contract/operation.ts";
import { successCode } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { bodyMaxBytes, metadataMaxBytes } from "../../../platform/limits.ts";
import {
  type NamedSchemas,
  referenceTo,
  toAnswerSchema,
  toRequestSchema,
} from "../../../platform/schema/json-schema.ts";
import { fieldRules, jsonObject } from "../../../platform/schema/schema.ts";
import { version } from "../../../platform/version.ts";
import { apiRoutes } from "../administration-routes.ts";
import { mayRunLong } from "../network/idle-timeout.ts";
import { type ApiRoute, pathParameters, takesBody } from "../routes.ts";
import { describeSuccess, rangeNotSatisfiable, withExample } from "./openapi-answers.ts";
import { describeRefusals, refusalSchema } from "./openapi-refusals.ts";

const introduction = `An AI memory with a tamper-evident audit ledger.

Every response is a JSON object with \`success\`, \`code\` (${successCode} on success), \`message\` and \`data\`. The response to a refused call has the same form, and its message says what to do next.
Fields that are not listed here are refused, never ignored. Unknown parameters of the query are ignored and named in the header Memledger-Ignored-Parameters, unless they are similar to a known one, which is refused. All texts are well-formed Unicode. \`x-parameter-rules\` are keywords of JSON Schema that the parameters of an operation satisfy together. Later versions may add fields to responses; ignore fields that you do not know. A request body is JSON in UTF-8, at most ${bodyMaxBytes} bytes. Times are RFC 3339; the time ranges of audit queries and exports accept any ISO 8601 date or time. Times in responses are UTC.`;

type Described = ApiRoute["operation"];

export function openApiDocument(): JsonObject {
  const schemas: NamedSchemas = {
    pointer: "#/components/schemas",
    byName: new Map([["Refusal", refusalSchema]]),
  };
  const responses = new Map([["RangeNotSatisfiable", rangeNotSatisfiable]]);
  // Requests first: see toAnswerSchema.
  const asked = apiRoutes.map((route) => ({ route, request: describeRequest(route, schemas) }));
  const paths = new Map<string, Record<string, JsonObject>>();
  for (const { route, request } of asked) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    const answers = { ...describeSuccess(route.operation, schemas), ...describeRefusals(route, responses) };
    const described = { ...introduce(route.operation), ...request, responses: answers };
    paths.set(path, { ...paths.get(path), [route.method.toLowerCase()]: described });
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "memledger",
      version,
      description: introduction,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    tags: [...new Set(apiRoutes.map(({ operation }) => tagOf(operation)))].map(describeTag),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: `An API key, \`ml_...\`. It belongs to one project and has some of the permissions ${permissions.join(", ")}.`,
        },
        administration: {
          type: "http",
          scheme: "bearer",
          description:
            "An administration key, `mla_...`. It belongs to no project, and performs only the operations of projects, keys and plans.",
        },
      },
      parameters: { AuditMetadata: auditMetadata },
      responses: sorted(responses),
      schemas: sorted(schemas.byName),
    },
  };
}

const tagDescriptions: Readonly<Record<string, string>> = {
  Memory: "Create, read, search, extract and inject the memories of the project.",
  Check: "Save searches with the memory that each must find, and perform all of them.",
  Audit: "List, append, verify and export the audit records of the project.",
  Gateway:
    "Use language models through the APIs of OpenAI and Anthropic, with memories put in and every conversation recorded.",
  Project: "Administer projects, with an administration key.",
  Key: "Administer the API keys of projects, with an administration key.",
  Plan: "List the plans, with an administration key.",
};

function describeTag(name: string): JsonObject {
  const description = tagDescriptions[name];
  return description === undefined ? { name } : { name, description };
}

function sorted(components: ReadonlyMap<string, JsonObject>): JsonObject {
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function introduce(operation: Described): JsonObject {
  const name = capitalised(operation.name);
  const isOfProject = operation.scope === "project";
  const needed = isOfProject ? `Permission: \`${operation.permission}\`.` : "Needs an administration key.";
  return {
    operationId: name.charAt(0).toLowerCase() + name.slice(1),
    tags: [tagOf(operation)],
    summary: operation.summary,
    description: `${operation.description}\n\n${needed}`,
    ...(isOfProject ? {} : { security: [{ administration: [] }] }),
    ...extensions(operation),
  };
}

/** What a client must know to send a call again, and how long to wait for the answer. */
function extensions(operation: Described): JsonObject {
  const { readOnly, destructive, idempotent } = operation.effects;
  return {
    "x-effects": { read_only: readOnly, destructive, idempotent },
    "x-may-run-long": mayRunLong(operation),
    // Official clients of these APIs exist.
    ...(exchangeOf(operation) === undefined ? {} : { "x-exchange": true }),
  };
}

/** `memory.delete_all` becomes MemoryDeleteAll. */
function capitalised(name: string): string {
  return name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function tagOf(operation: Described): string {
  return capitalised(operation.name.split(".")[0] ?? "");
}

function describeRequest(route: ApiRoute, schemas: NamedSchemas): JsonObject {
  return {
    parameters: [...describeParameters(route, schemas), { $ref: "#/components/parameters/AuditMetadata" }],
    ...(takesBody(route) ? { requestBody: describeBody(route, schemas) } : describeRules(route)),
  };
}

function describeParameters(route: ApiRoute, schemas: NamedSchemas): JsonObject[] {
  const { properties, required = [] } = route.operation.input;
  const inPath = pathParameters(route);
  const names = takesBody(route) ? inPath : Object.keys(properties);
  return names.flatMap((name) => {
    const schema = properties[name];
    if (schema === undefined) throw new Error(`${route.path} names a field that its operation does not have`);
    const { description: _, ...rest } = toRequestSchema(schema, schemas);
    return {
      name,
      in: inPath.includes(name) ? "path" : "query",
      required: inPath.includes(name) || required.includes(name),
      description: schema.description ?? "",
      // An object is JSON text in a query.
      ...(schema.type === "object"
        ? { content: { "application/json": { schema: rest } } }
        : { schema: rest }),
      ...withExample(route.operation.example?.input[name]),
    };
  });
}

function describeBody(route: ApiRoute, schemas: NamedSchemas): JsonObject {
  const inPath = pathParameters(route);
  const { operation } = route;
  const exchange = exchangeOf(operation);
  if (exchange !== undefined) return describePassedBody(exchange.exampleBody, schemas);
  const { properties, required = [] } = operation.input;
  const isOutside = (name: string) => !inPath.includes(name);
  const fields = Object.entries(properties).filter(([name]) => isOutside(name));
  const mandatory = required.filter(isOutside);
  const rules = rulesOf(operation);
  const isRequired = mandatory.length > 0 || "anyOf" in rules;
  const title = `${capitalised(operation.name)}Request`;
  schemas.byName.set(title, {
    title,
    type: "object",
    additionalProperties: false,
    ...(mandatory.length > 0 ? { required: mandatory } : {}),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, toRequestSchema(field, schemas)])),
    ...rules,
  });
  const example = Object.entries(operation.example?.input ?? {}).filter(([name]) => isOutside(name));
  const schema = referenceTo(title, schemas);
  return {
    required: isRequired,
    content: { "application/json": { schema, ...withExample(Object.fromEntries(example)) } },
  };
}

/** OpenAPI has no place for what parameters must satisfy together. */
function describeRules({ operation }: ApiRoute): JsonObject {
  const rules = rulesOf(operation);
  return Object.keys(rules).length === 0 ? {} : { "x-parameter-rules": rules };
}

function rulesOf({ input }: Described): JsonObject {
  return Object.fromEntries(fieldRules.flatMap((name) => (name in input ? [[name, input[name]]] : [])));
}

/** The upstream determines what it may contain. */
function describePassedBody(example: JsonObject | null, schemas: NamedSchemas): JsonObject {
  const schema = toAnswerSchema(jsonObject, schemas);
  return {
    required: true,
    content: { "application/json": { schema, ...withExample(example ?? undefined) } },
  };
}

const auditMetadata: JsonObject = {
  name: "X-Audit-Metadata",
  in: "header",
  required: false,
  description: `A JSON object of at most ${metadataMaxBytes} bytes, such as \`{"ticket":"OPS-17"}\`, that the audit record of this call keeps as its metadata.`,
  schema: { type: "string", contentMediaType: "application/json" },
};
