// Owns one table of a TOML file: it is appended, changed and removed as a range of the text, so everything else keeps its bytes.
// (@decimalturn/toml-patch changes line breaks, and leaves empty tables behind.)

import { parse } from "smol-toml";
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { applyEdits, type Edit } from "../../platform/text/edits.ts";
import { describePosition, lineBreakOf, UnusableConfiguration } from "./text-edit.ts";

/** Names of tables, from the root. */
export type TablePath = readonly string[];

/** The values of a table; undefined when it does not exist. @throws UnusableConfiguration with line and column */
export function readTable(text: string, path: TablePath): Json | undefined {
  let value: unknown = getStaticTOMLValue(readSyntax(text));
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/**
 * Sets values of a table, and removes those that are null. Others in the table stay. The table is appended when it does not exist.
 * @throws UnusableConfiguration
 */
export function setTable(text: string, path: TablePath, values: Readonly<Record<string, Json>>): string {
  const syntax = readSyntax(text);
  const table = tables(syntax).find((each) => isSame(each.resolvedKey, path));
  if (table === undefined && readTable(text, path) !== undefined) throw unsupported(text, syntax, path);
  const changed = table === undefined ? appendTable(text, path, values) : changeTable(text, table, values);
  return requireValid(changed, text, path);
}

/** Removes a table with the tables below it. The text is unchanged when it does not exist. @throws UnusableConfiguration */
export function removeTable(text: string, path: TablePath): string {
  const syntax = readSyntax(text);
  if (readTable(text, path) === undefined) return text;
  const own = tables(syntax).filter(({ resolvedKey }) => isSame(resolvedKey.slice(0, path.length), path));
  if (own.length === 0) throw unsupported(text, syntax, path);
  const left = applyEdits(
    text,
    own.map((table) => linesOf(text, table)),
  );
  if (readTable(left, path) !== undefined) throw unsupported(text, syntax, path);
  return requireValid(left, text, path);
}

/** @throws UnusableConfiguration */
function readSyntax(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: "1.1" });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const place = describePosition(text, error.index);
    throw new UnusableConfiguration(`not valid TOML at ${place}: ${error.message.toLowerCase()}`);
  }
}

function tables({ body }: AST.TOMLProgram): AST.TOMLTable[] {
  return body[0].body.filter((node) => node.type === "TOMLTable");
}

function isSame(found: readonly (string | number)[], path: TablePath): boolean {
  return found.length === path.length && found.every((name, index) => name === path[index]);
}

/** The table is part of an inline table, or its keys are written with dots. */
function unsupported(text: string, syntax: AST.TOMLProgram, path: TablePath): UnusableConfiguration {
  const [first] = path;
  const pairs = syntax.body[0].body.flatMap((node) =>
    node.type === "TOMLTable" ? [node, ...node.body] : [node],
  );
  const named = pairs.find(({ key }) => key.keys.some((part) => nameOf(part) === first));
  const place = describePosition(text, named?.range[0] ?? 0);
  return new UnusableConfiguration(
    `${path.join(".")} is not written as a table [${path.join(".")}] (${place}), which is the only form that can be changed here`,
  );
}

function nameOf(part: AST.TOMLBare | AST.TOMLQuoted): string {
  return part.type === "TOMLBare" ? part.name : part.value;
}

function appendTable(text: string, path: TablePath, values: Readonly<Record<string, Json>>): string {
  const newline = lineBreakOf(text);
  const gap = text === "" ? "" : text.endsWith("\n") ? newline : newline + newline;
  const lines = Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} = ${printValue(value)}`);
  return `${text}${gap}[${path.join(".")}]${newline}${lines.map((line) => line + newline).join("")}`;
}

function changeTable(text: string, table: AST.TOMLTable, values: Readonly<Record<string, Json>>): string {
  const newline = lineBreakOf(text);
  const edits = Object.entries(values).map(([name, value]): Edit | null => {
    const pair = table.body.find(
      ({ key }) => key.keys.length === 1 && key.keys.some((part) => nameOf(part) === name),
    );
    if (pair === undefined) {
      const end = endOfLine(text, (table.body.at(-1) ?? table.key).range[1]);
      return value === null ? null : { start: end, end, text: `${newline}${name} = ${printValue(value)}` };
    }
    if (value === null) return linesOf(text, pair);
    if (Bun.deepEquals(getStaticTOMLValue(pair.value), value)) return null;
    return { start: pair.value.range[0], end: pair.value.range[1], text: printValue(value) };
  });
  return applyEdits(
    text,
    edits.filter((edit) => edit !== null),
  );
}

/** The lines of a node with the comment behind it, and one empty line in front of a table. */
function linesOf(text: string, node: AST.TOMLTable | AST.TOMLKeyValue): Edit {
  const lineStart = text.lastIndexOf("\n", node.range[0] - 1) + 1;
  const blank =
    node.type === "TOMLTable" ? /(?:^|\n)(\r?\n)$/.exec(text.slice(0, lineStart))?.[1] : undefined;
  const end = endOfLine(text, node.range[1]);
  const after = /^\r?\n/.exec(text.slice(end))?.[0] ?? "";
  return { start: lineStart - (blank?.length ?? 0), end: end + after.length, text: "" };
}

/** Before the line break. */
function endOfLine(text: string, position: number): number {
  return position + (/^[^\r\n]*/.exec(text.slice(position))?.[0].length ?? 0);
}

/** JSON strings are TOML strings, except that TOML escapes DEL. */
function printValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(", ")}]`;
  if (isObject(value)) {
    return `{ ${Object.entries(value)
      .map(([name, item]) => `${JSON.stringify(name)} = ${printValue(item)}`)
      .join(", ")} }`;
  }
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}

/** A second parser reads the result: everything outside of the table must have the same values as before. */
function requireValid(changed: string, text: string, path: TablePath): string {
  try {
    const [before, after] = [text, changed].map((each) => without(parse(each), path));
    if (Bun.deepEquals(before, after)) return changed;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new UnusableConfiguration(`[${path.join(".")}] cannot be added: ${reason}`);
  }
  throw new UnusableConfiguration(`[${path.join(".")}] cannot be changed without changing other values`);
}

function without(values: object, [name = "", ...below]: TablePath): JsonObject {
  const entries = Object.entries(values).flatMap(([key, value]) => {
    if (key !== name) return [[key, value]];
    const left = below.length === 0 || !isObject(value) ? {} : without(value, below);
    return Object.keys(left).length === 0 ? [] : [[key, left]];
  });
  return Object.fromEntries(entries);
}
