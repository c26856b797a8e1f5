// Owns the classes of the Python client whose methods are the operations. Both files have the same methods; those of the second one are
// awaited.

import type { Api, Method, Pages, Resource } from "./api.ts";
import type { Field } from "./models.ts";
import { constantName, docstring, requestType, returnedName } from "./python-text.ts";
import { capitalised, indent } from "./text.ts";

interface Style {
  readonly isAsync: boolean;
}

/** Parameters of every method, beside those of its operation. */
const options = [
  "audit_metadata: Mapping[str, Any] | None = None",
  "timeout: float | None = None",
  "max_retries: int | None = None",
];
const optionNames = options.map((option) => option.split(":")[0]);
const keywords =
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield self";
/** The name of a parameter: PEP 8 appends an underscore to a keyword. */
const parameterName = (name: string) => (keywords.split(" ").includes(name) ? `${name}_` : name);
const givenOptions = "CallOptions(audit_metadata, timeout, max_retries)";

export function resourcesFile(api: Api, style: Style): string {
  const { isAsync } = style;
  const methods = api.resources.flatMap((resource) => resource.methods);
  const constants = methods.map(({ operationId }) => constantName(operationId)).toSorted();
  const classes = api.resources.map((resource) => declareResource(resource, api, style)).join("\n");
  const modules = [
    "from .._calls import CallOptions",
    isAsync ? "from .._async_calls import AsyncCalls" : "from .._sync_calls import Calls",
    `from .._download import ${isAsync ? "AsyncDownload" : "Download"}`,
    "from .._model import UNSET, Unset",
    "from .._request import Input",
  ];
  return [
    "from __future__ import annotations\n",
    `from collections.abc import ${isAsync ? "AsyncIterator" : "Iterator"}, Mapping, Sequence`,
    `from typing import Any${classes.includes("Literal[") ? ", Literal" : ""}\n`,
    ...modules.toSorted(),
    `from .models import (\n${usedModels(api).join("\n")}\n)`,
    `from .operations import (\n${constants.map((name) => `    ${name},`).join("\n")}\n)\n`,
    classes,
  ].join("\n");
}

function usedModels({ models, resources }: Api): string[] {
  const text = JSON.stringify(resources);
  const isUsed = ({ kind, name }: Api["models"][number]) =>
    resources.some(({ methods }) =>
      methods.some(
        ({ answer, pages }) => (answer.kind === "model" && answer.name === name) || pages?.model === name,
      ),
    ) ||
    (kind === "literals" && text.includes(`{"kind":"reference","name":"${name}"}`));
  return models
    .filter(isUsed)
    .map(({ name }) => `    ${name},`)
    .toSorted();
}

function declareResource({ name, description, methods }: Resource, api: Api, style: Style): string {
  const { isAsync } = style;
  const members = methods.flatMap((method) => [
    "",
    ...declareMethod(method, api, style),
    ...(method.pages === null ? [] : ["", ...declareIteration(method, method.pages, api, style)]),
  ]);
  const body = [
    ...docstring(description),
    "",
    `def __init__(self, calls: ${isAsync ? "AsyncCalls" : "Calls"}) -> None:`,
    "    self._calls = calls",
    ...members,
  ];
  return ["", `class ${isAsync ? "Async" : ""}${capitalised(name)}:`, ...indent(body, "    "), ""].join("\n");
}

function declareMethod(method: Method, api: Api, style: Style): string[] {
  const { operationId, summary, description, pathFields, queryFields, body, answer } = method;
  const prefix = style.isAsync ? "async " : "";
  const fields = [...(body?.fields ?? []), ...queryFields];
  const send = style.isAsync ? "return await self._calls" : "return self._calls";
  const kind = { model: "data", none: "nothing", file: "file" }[answer.kind];
  const model = answer.kind === "model" ? [`${answer.name},`] : [];
  const given = [`${constantName(operationId)},`, ...inputOf(method), `${givenOptions},`, ...model];
  return [
    `${prefix}def ${nameOf(method)}(`,
    ...indent(
      [
        "self",
        ...pathFields.map(({ name }) => `${name}: str`),
        "*",
        ...parametersOf(fields, api),
        ...options,
      ].map((line) => `${line},`),
      "    ",
    ),
    `) -> ${returnedName(answer, style.isAsync)}:`,
    ...indent(
      docstring([`${summary}. ${description}`, ...describeFields(pathFields, fields)].join("\n")),
      "    ",
    ),
    `    ${send}.${kind}(`,
    ...indent(given, "        "),
    "    )",
  ];
}

/** Required ones first. A field that is not given is not sent; None is sent as null. A query has no null. */
function parametersOf(fields: readonly Field[], { models }: Api): string[] {
  const isModel = (name: string) => models.some((each) => each.name === name && each.kind === "object");
  const taken = fields.find(({ name }) => optionNames.includes(name));
  if (taken !== undefined) throw new Error(`${taken.name} cannot be a parameter in Python`);
  const written = fields.map(({ name, type, isRequired }) => {
    const plain = `${parameterName(name)}: ${requestType(type, isModel)}`;
    return { isRequired, text: isRequired ? plain : `${plain} | Unset = UNSET` };
  });
  return [
    ...written.filter(({ isRequired }) => isRequired),
    ...written.filter(({ isRequired }) => !isRequired),
  ].map(({ text }) => text);
}

function inputOf({ pathFields, queryFields, body }: Method): string[] {
  const members = [
    ...dictionary("path", pathFields),
    ...dictionary("query", queryFields),
    ...(body === null ? [] : dictionary("body", body.fields, true)),
  ];
  return members.length === 0 ? ["Input(),"] : ["Input(", ...indent(members, "    "), "),"];
}

/** An argument with the values of these fields. A body without fields is one, too. */
function dictionary(name: string, fields: readonly Field[], isAlways = false): string[] {
  if (fields.length === 0) return isAlways ? [`${name}={},`] : [];
  const items = fields.map((field) => `"${field.name}": ${parameterName(field.name)},`);
  return [`${name}={`, ...indent(items, "    "), "},"];
}

function describeFields(...fields: readonly (readonly Field[])[]): string[] {
  const described = fields.flat().filter(({ description }) => description !== "");
  return described.length === 0
    ? []
    : ["", ...described.map(({ name, description }) => `${parameterName(name)}: ${description}`)];
}

/** A list is read page by page: `for memory in client.memories.iterate():`. */
function declareIteration(method: Method, pages: Pages, api: Api, { isAsync }: Style): string[] {
  const fields = method.queryFields.filter(({ name }) => name !== "page" && name !== "cursor");
  const given = [...fields.map(({ name }) => parameterName(name)), ...optionNames].map(
    (name) => `${name}=${name}`,
  );
  const path = method.pathFields.map(({ name }) => name);
  const list = nameOf(method);
  const read = `${isAsync ? "await " : ""}self.${list}`;
  const ask = [
    `    page = ${read}(`,
    ...indent(
      [...path, "cursor=cursor", ...given].map((each) => `${each},`),
      "        ",
    ),
    "    )",
    // An asynchronous generator has no `yield from`.
    ...(isAsync
      ? [`    for item in page.${pages.items}:`, "        yield item"]
      : [`    yield from page.${pages.items}`]),
  ];
  const iterator = isAsync ? "AsyncIterator" : "Iterator";
  return [
    `${isAsync ? "async " : ""}def ${pages.words.join("_")}(`,
    ...indent(
      ["self", ...path.map((name) => `${name}: str`), "*", ...parametersOf(fields, api), ...options].map(
        (line) => `${line},`,
      ),
      "    ",
    ),
    `) -> ${iterator}[${pages.model}]:`,
    `    """The items of all pages of \`${list}\`, one request for each page."""`,
    ...indent(
      [
        "cursor: str | Unset = UNSET",
        "while True:",
        ...ask,
        "    if page.next_cursor is None:",
        "        return",
        "    cursor = page.next_cursor",
      ],
      "    ",
    ),
  ];
}

const nameOf = ({ words }: Method) => words.join("_");
