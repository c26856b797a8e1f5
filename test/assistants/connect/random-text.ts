// Generates JSON with comments and TOML as people and programs write them: any indentation, line breaks, comments, trailing commas.

import fc from "fast-check";
import type { Json } from "../../../src/platform/json/json.ts";

/** How a text is laid out. */
export interface Style {
  readonly newline: string;
  readonly indent: string;
  readonly trailingComma: boolean;
  readonly finalNewline: boolean;
  /** One bit for each place where a comment may be. */
  readonly comments: number;
}

export const styles: fc.Arbitrary<Style> = fc.record({
  newline: fc.constantFrom("\n", "\r\n"),
  indent: fc.constantFrom("  ", "    ", "\t", "   ", " "),
  trailingComma: fc.boolean(),
  finalNewline: fc.boolean(),
  comments: fc.nat(),
});

const names = fc.oneof(
  fc.stringMatching(/^[a-zA-Z_$-]{1,8}$/),
  fc.constantFrom("mcpServers", "hooks", "a.b", "ü", ""),
);
const leaves: fc.Arbitrary<Json> = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom("// no comment", "/* nor this */", "a,b", "}", '"', "\\", "line\nbreak"),
);

export const jsonObjects = fc.letrec<{ value: Json; object: Record<string, Json> }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, leaves, tie("object"), fc.array(tie("value"), { maxLength: 3 })),
  object: fc.dictionary(names, tie("value"), { maxKeys: 4 }),
})).object;

/** A text with the value, in which every second container is on one line. */
export function printJsonc(value: Json, style: Style): string {
  let place = 0;
  const comment = (isLine: boolean): string => {
    place += 1;
    if (((style.comments >> (place % 31)) & 1) === 0) return "";
    return isLine ? ` // ${place}, "x": {` : ` /* ${place}, */`;
  };
  const print = (item: Json, indent: string): string => {
    if (typeof item !== "object" || item === null) return JSON.stringify(item);
    place += 1;
    const isInline = place % 3 === 0;
    const inner = indent + style.indent;
    const open = Array.isArray(item) ? "[" : "{";
    const close = Array.isArray(item) ? "]" : "}";
    const parts = Array.isArray(item)
      ? item.map((child) => print(child, inner))
      : Object.entries(item).map(
          ([name, child]) => `${JSON.stringify(name)}${comment(false)}: ${print(child, inner)}`,
        );
    const comma = (index: number) =>
      index < parts.length - 1 || (style.trailingComma && parts.length > 0) ? "," : "";
    if (isInline)
      return `${open}${parts.map((part, index) => `${part}${comment(false)}${comma(index)} `).join("")}${close}`;
    const lines = parts.map(
      (part, index) => `${inner}${part}${comment(false)}${comma(index)}${comment(true)}${style.newline}`,
    );
    return `${open}${comment(true)}${style.newline}${lines.join("")}${indent}${close}`;
  };
  const first = comment(true);
  const head = first === "" ? "" : `${first.trim()}${style.newline}`;
  return `${head}${print(value, "")}${style.finalNewline ? style.newline : ""}`;
}

/** Lines of a TOML file that has no `mcp_servers.memledger`. */
const tomlBlocks = fc.constantFrom(
  ["model = 'gpt' # comment"],
  ["[features]", "hooks = true", ""],
  ["[mcp_servers.docs]", 'command = "npx"', "args = [", '\t"-y", # first', "\t'docs',", "]"],
  ["# [mcp_servers.memledger]", "# command = 'no'"],
  ["", "", ""],
  ['[projects."/a b"]', 'trust_level = "trusted"'],
  ["[[profiles.list]]", "name = '''", "[mcp_servers.memledger]", "'''"],
  ["  [tui]", "  x = 1_000", "  when = 1979-05-27T07:32:00.999Z"],
  ["[mcp_servers.other.env]", "KEY = 'a' # [b]"],
  ["[shell]", "set = { A = 'b', \"c d\" = [1, 2] }"],
);

export const tomlTexts: fc.Arbitrary<string> = fc
  .tuple(fc.uniqueArray(tomlBlocks), styles, fc.boolean())
  .map(([blocks, { newline, finalNewline }, isMixed]) => {
    // Values before the first table belong to the root.
    const ordered = blocks.toSorted(
      (a, b) => Number(!(a[0] ?? "").startsWith("model")) - Number(!(b[0] ?? "").startsWith("model")),
    );
    const lines = ordered.flat();
    const text = lines.map((line, index) => line + (isMixed && index % 2 === 1 ? "\n" : newline)).join("");
    return finalNewline ? text : text.replace(/(\r?\n)+$/, "");
  });
