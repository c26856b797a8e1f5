// Owns changes of single values in JSON with comments. Everything that is not the value keeps its bytes: comments, indentation, line
// breaks, trailing commas. (`modify` of jsonc-parser formats the lines around a change, so only its parser and scanner are used.)

import { createScanner, type Node } from "jsonc-parser";
import type { Json } from "../../platform/json/json.ts";
import { applyEdits, type Edit } from "../../platform/text/edits.ts";
import { nodeAt, type Path, readTree } from "./jsonc-tree.ts";
import { indentAt, lineBreakOf } from "./text-edit.ts";

/** Sets the value of a property, or an item that exists. Objects above it that do not exist are created. @throws UnusableConfiguration */
export function setValue(text: string, path: Path, value: Json): string {
  const root = readTree(text);
  if (root === null) return createRoot(text, nested(path, value));
  const found = nodeAt(text, root, path);
  if (found !== null) {
    const container = found.parent?.type === "property" ? found.parent.parent : found.parent;
    const layout = layoutOf(text, container ?? root);
    const written = layout.isInline
      ? JSON.stringify(value)
      : print(value, text, indentAt(text, found.offset));
    return applyEdits(text, [{ start: found.offset, end: found.offset + found.length, text: written }]);
  }
  let depth = path.length - 1;
  while (depth > 0 && nodeAt(text, root, path.slice(0, depth)) === null) depth--;
  const container = nodeAt(text, root, path.slice(0, depth)) ?? root;
  const name = String(path[depth]);
  return insertChild(text, container, { name, value: nested(path.slice(depth + 1), value) });
}

/** Appends an item to an array, which is created when it does not exist. @throws UnusableConfiguration */
export function appendItem(text: string, path: Path, value: Json): string {
  const root = readTree(text);
  const array = root === null ? null : nodeAt(text, root, path);
  if (root === null || array === null) return setValue(text, path, [value]);
  // Refuses what is not an array.
  nodeAt(text, root, [...path, 0]);
  return insertChild(text, array, { name: null, value });
}

/** Removes a property or an item. The text is unchanged when it does not exist. @throws UnusableConfiguration */
export function removeValue(text: string, path: Path): string {
  const root = readTree(text);
  const node = root === null ? null : nodeAt(text, root, path);
  if (node === null) return text;
  const child = node.parent?.type === "property" ? node.parent : node;
  const container = child.parent;
  return container === undefined ? text : removeChild(text, container, child);
}

function nested(path: Path, value: Json): Json {
  return path.reduceRight<Json>((inner, name) => ({ [String(name)]: inner }), value);
}

/** Only comments and white space so far: they stay in front of the new object. */
function createRoot(text: string, value: Json): string {
  const newline = lineBreakOf(text);
  const kept = text.trim() === "" ? "" : text;
  const needsBreak = kept !== "" && !kept.endsWith("\n");
  return `${kept}${needsBreak ? newline : ""}${print(value, text, "")}${newline}`;
}

interface Child {
  /** Null in an array. */
  readonly name: string | null;
  readonly value: Json;
}

function insertChild(text: string, container: Node, child: Child): string {
  const close = container.offset + container.length - 1;
  const last = container.children?.at(-1);
  const layout = layoutOf(text, container);
  const newline = lineBreakOf(text);
  const written = (indent: string) => {
    const value = layout.isInline ? JSON.stringify(child.value) : print(child.value, text, indent);
    return child.name === null ? value : `${JSON.stringify(child.name)}: ${value}`;
  };
  if (last === undefined) {
    const outer = indentAt(text, close);
    const inner = outer + indentUnit(text);
    const { end } = triviaBetween(text, container.offset + 1, close);
    const rest = text.slice(end, close);
    const closing = rest.includes("\n") ? rest : `${newline}${outer}`;
    return applyEdits(text, [
      { start: end, end: close, text: `${newline}${inner}${written(inner)}${closing}` },
    ]);
  }
  const lastEnd = last.offset + last.length;
  const { end, comma } = triviaBetween(text, lastEnd, close);
  const separator = layout.isInline ? " " : `${newline}${layout.indent}`;
  const edits: Edit[] = [
    { start: end, end, text: `${separator}${written(layout.indent)}${comma === null ? "" : ","}` },
  ];
  if (comma === null) edits.unshift({ start: lastEnd, end: lastEnd, text: "," });
  return applyEdits(text, edits);
}

function removeChild(text: string, container: Node, child: Node): string {
  const children = container.children ?? [];
  const index = children.indexOf(child);
  const [previous, next] = [children[index - 1], children[index + 1]];
  const close = container.offset + container.length - 1;
  const childEnd = child.offset + child.length;
  const before = triviaBetween(
    text,
    previous === undefined ? container.offset + 1 : previous.offset + previous.length,
    child.offset,
  );
  const after = triviaBetween(text, childEnd, next?.offset ?? close);
  const edits: Edit[] = [{ start: before.end, end: childEnd, text: "" }];
  const comma = after.comma ?? before.comma;
  if (comma !== null) edits.push({ start: comma, end: comma + 1, text: "" });
  const left = applyEdits(text, edits);
  if (children.length > 1) return left;
  const empty = /^([{[])[ \t\r\n]*([}\]])/.exec(left.slice(container.offset));
  if (empty === null) return left;
  const start = container.offset;
  return applyEdits(left, [{ start, end: start + empty[0].length, text: `${empty[1]}${empty[2]}` }]);
}

interface Trivia {
  /** After the last comma or comment; the start when there is none. */
  readonly end: number;
  readonly comma: number | null;
}

/** What is between two values. */
function triviaBetween(text: string, start: number, limit: number): Trivia {
  const scanner = createScanner(text.slice(start, limit), false);
  let trivia: Trivia = { end: start, comma: null };
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const offset = start + scanner.getTokenOffset();
    const token = text.slice(offset, offset + scanner.getTokenLength());
    if (token.trim() === "") continue;
    trivia = { end: offset + token.length, comma: token === "," ? offset : trivia.comma };
  }
  return trivia;
}

interface Layout {
  /** All values are on the line of the opening bracket. */
  readonly isInline: boolean;
  /** Of the values, when they are not inline. */
  readonly indent: string;
}

function layoutOf(text: string, container: Node): Layout {
  const children = container.children ?? [];
  const [last] = children.slice(-1);
  if (last === undefined)
    return { isInline: false, indent: indentAt(text, container.offset) + indentUnit(text) };
  const starts = [...children.map(({ offset }) => offset), container.offset + container.length - 1];
  const ends = [container.offset + 1, ...children.map(({ offset, length }) => offset + length)];
  const isInline = starts.every((start, index) => !text.slice(ends[index], start).includes("\n"));
  const own = children.findLast(({ offset }) => indentAt(text, offset) === lineStart(text, offset));
  return { isInline, indent: own === undefined ? indentUnit(text) : indentAt(text, own.offset) };
}

/** What is in front of a position in its line. */
function lineStart(text: string, position: number): string {
  return text.slice(text.lastIndexOf("\n", position - 1) + 1, position);
}

/** One level of indentation: that of the first indented name. */
function indentUnit(text: string): string {
  return /^(?: {1,8}|\t)(?=")/m.exec(text)?.[0] ?? "  ";
}

function print(value: Json, text: string, indent: string): string {
  return JSON.stringify(value, null, indentUnit(text)).replaceAll("\n", `${lineBreakOf(text)}${indent}`);
}
