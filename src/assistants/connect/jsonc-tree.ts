// Owns reading JSON with comments: the tree with positions, and the messages about faults. Must never guess what a broken text means.

import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { Json } from "../../platform/json/json.ts";
import { describePosition, UnusableConfiguration } from "./text-edit.ts";

/** Names of properties and positions in arrays, from the root. */
export type Path = readonly (string | number)[];

/**
 * The root of a text, or null when the text has nothing but white space and comments.
 * @throws UnusableConfiguration with line and column
 */
export function readTree(text: string, { comments = true, trailingCommas = true } = {}): Node | null {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, {
    allowTrailingComma: trailingCommas,
    allowEmptyContent: true,
    disallowComments: !comments,
  });
  const [first] = errors;
  if (first !== undefined) {
    const place = describePosition(text, first.offset);
    throw new UnusableConfiguration(`not valid JSON at ${place}: ${reasonOf(first)}`);
  }
  return tree ?? null;
}

function reasonOf({ error }: ParseError): string {
  const fault = printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
  const known: Readonly<Record<string, string>> = {
    "invalid symbol": "unexpected text",
    "invalid comment token": "comment",
  };
  return known[fault] ?? fault;
}

/**
 * The node at a path; null when it does not exist.
 * @throws UnusableConfiguration when a node above it is not a container of that kind, or a name appears twice
 */
export function nodeAt(text: string, root: Node, path: Path): Node | null {
  for (const [depth, step] of path.entries()) {
    const above = path.slice(0, depth);
    const container = above.length === 0 ? root : findNodeAtLocation(root, [...above]);
    if (container === undefined) return null;
    const expected = typeof step === "number" ? "array" : "object";
    if (container.type !== expected) {
      const name = above.length === 0 ? "the file" : `"${above.join(".")}"`;
      const place = describePosition(text, container.offset);
      throw new UnusableConfiguration(`${name} is not an ${expected} at ${place}`);
    }
    const properties = expected === "object" ? (container.children ?? []) : [];
    const same = properties.filter(({ children: [name] = [] }) => name?.value === step);
    if (same.length > 1) {
      const place = describePosition(text, same[1]?.offset ?? 0);
      throw new UnusableConfiguration(`"${step}" appears a second time at ${place}`);
    }
  }
  return findNodeAtLocation(root, [...path]) ?? null;
}

/** The value at a path; undefined when it does not exist. @throws UnusableConfiguration as nodeAt and readTree */
export function readValue(text: string, path: Path): Json | undefined {
  const root = readTree(text);
  const node = root === null ? null : nodeAt(text, root, path);
  if (node === null) return undefined;
  const value: Json = getNodeValue(node);
  return value;
}
