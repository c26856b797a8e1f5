// Owns the tree of positions in a JSON text, in the form of jsonc-parser. The children of a node are found when somebody asks for them,
// because the whole tree of a long conversation takes a hundred times as long as its values. The text must be valid JSON.

import type { Node, NodeType } from "jsonc-parser";

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

/** The tree of a text that JSON.parse accepts. */
export function readTree(text: string): Node {
  return nodeAt(text, skipSpace(text, 0)).node;
}

class LazyNode implements Node {
  readonly type: NodeType;
  readonly offset: number;
  readonly length: number;
  readonly #text: string;
  #children: Node[] | undefined;

  constructor(text: string, type: NodeType, offset: number, end: number) {
    this.type = type;
    this.offset = offset;
    this.length = end - offset;
    this.#text = text;
  }

  /** Undefined for objects and arrays. */
  get value(): unknown {
    if (this.type === "object" || this.type === "array") return undefined;
    const written = this.#text.slice(this.offset, this.offset + this.length);
    return this.type === "string" && !written.includes("\\") ? written.slice(1, -1) : JSON.parse(written);
  }

  /** Empty for all others. */
  get children(): Node[] {
    if (this.type !== "object" && this.type !== "array") return [];
    this.#children ??= childrenOf(this.#text, this.type === "object", this.offset + 1);
    return this.#children;
  }
}

/** A name and its value. */
function propertyOf(name: Node, value: Node): Node {
  const length = value.offset + value.length - name.offset;
  return { type: "property", offset: name.offset, length, children: [name, value] };
}

/** @param start after the bracket */
function childrenOf(text: string, isObject: boolean, start: number): Node[] {
  const children: Node[] = [];
  let at = skipSpace(text, start);
  while (!isClosing(text.charCodeAt(at))) {
    const first = nodeAt(text, at);
    at = skipSpace(text, first.end);
    if (isObject) {
      // Behind the colon.
      const value = nodeAt(text, skipSpace(text, at + 1));
      children.push(propertyOf(first.node, value.node));
      at = skipSpace(text, value.end);
    } else children.push(first.node);
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
  return children;
}

function nodeAt(text: string, start: number): { readonly node: Node; readonly end: number } {
  const type = typeAt(text.charCodeAt(start));
  const end =
    type === "string"
      ? endOfString(text, start)
      : type === "object" || type === "array"
        ? endOfContainer(text, start)
        : endOfWord(text, start);
  return { node: new LazyNode(text, type, start, end), end };
}

function typeAt(code: number): NodeType {
  switch (code) {
    case 0x7b:
      return "object";
    case 0x5b:
      return "array";
    case quote:
      return "string";
    case 0x74: // t
    case 0x66: // f
      return "boolean";
    case 0x6e: // n
      return "null";
    default:
      return "number";
  }
}

function endOfContainer(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at) - 1;
    else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (isClosing(code)) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  throw new Error("the text is not valid JSON");
}

/** Index after the closing quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  throw new Error("the text is not valid JSON");
}

/** Index after a number, or after true, false or null. */
function endOfWord(text: string, start: number): number {
  let end = start;
  for (let code = text.charCodeAt(end); end < text.length; code = text.charCodeAt(++end)) {
    if (code === comma || isClosing(code) || isSpace(code)) break;
  }
  return end;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}
