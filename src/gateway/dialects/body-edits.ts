// Owns the edits of a body: insertions at positions of its tree. Must never move or print what the client has written.

import type { Node } from "jsonc-parser";
import type { Json } from "../../platform/json/json.ts";
import type { Edit } from "../../platform/text/edits.ts";

/** The value of a member; null when the node is no object, or has no such member. */
export function memberOf(node: Node | null, name: string): Node | null {
  if (node?.type !== "object") return null;
  const found = node.children?.find(({ children: [key] = [] }) => key?.value === name);
  return found?.children?.[1] ?? null;
}

export function itemsOf(node: Node | null): readonly Node[] {
  return node?.type === "array" ? (node.children ?? []) : [];
}

export function stringOf(node: Node | null): string | null {
  return node?.type === "string" && typeof node.value === "string" ? node.value : null;
}

export function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** At the end of a string, inside its quotes. A string that is not empty gets an empty line in between. */
export function appendText(string: Node, text: string): Edit {
  const at = endOf(string) - 1;
  const separator = string.value === "" ? "" : "\n\n";
  return { start: at, end: at, text: JSON.stringify(separator + text).slice(1, -1) };
}

export function appendItem(array: Node, item: Json): Edit {
  const last = array.children?.at(-1);
  const at = last === undefined ? endOf(array) - 1 : endOf(last);
  return { start: at, end: at, text: `${last === undefined ? "" : ","}${JSON.stringify(item)}` };
}

export function prependItem(array: Node, item: Json): Edit {
  const at = array.offset + 1;
  const isEmpty = (array.children?.length ?? 0) === 0;
  return { start: at, end: at, text: `${JSON.stringify(item)}${isEmpty ? "" : ","}` };
}

/** In front of the other members. */
export function prependMember(object: Node, name: string, value: Json): Edit {
  const at = object.offset + 1;
  const isEmpty = (object.children?.length ?? 0) === 0;
  const member = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  return { start: at, end: at, text: `${member}${isEmpty ? "" : ","}` };
}

export function replaceValue(node: Node, value: Json): Edit {
  return { start: node.offset, end: endOf(node), text: JSON.stringify(value) };
}

/** Puts text in front of a value and behind it. */
export function surround(node: Node, before: string, after: string): Edit[] {
  const end = endOf(node);
  return [
    { start: node.offset, end: node.offset, text: before },
    { start: end, end, text: after },
  ];
}
