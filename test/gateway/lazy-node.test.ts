// Compares the tree that finds children when they are asked for with the one of jsonc-parser, which reads the whole text.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Node, parseTree } from "jsonc-parser";
import { readTree } from "../../src/gateway/dialects/lazy-node.ts";

interface Plain {
  readonly place: readonly unknown[];
  readonly children: readonly Plain[];
}

function toPlain({ type, offset, length, value, children = [] }: Node): Plain {
  return { place: [type, offset, length, value], children: children.map(toPlain) };
}

const value = fc.oneof(fc.jsonValue(), fc.jsonValue({ stringUnit: "binary", noUnicodeString: false }));
const text = fc
  .tuple(value, fc.constantFrom("", " ", "\n\t", "\r\n"), fc.boolean())
  .map(([each, space, isSpread]) => `${space}${JSON.stringify(each, null, isSpread ? 2 : 0)}${space}`);

test("nodes have the types, places and values of the whole tree", () => {
  const written = ['"\\\\"', '["\\\\\\"",{"a\\"]":[1e3,-0.5 , true]}]', '{"":{},"b" : [ ]}', "null", " 7 "];
  fc.assert(
    fc.property(fc.oneof(text, fc.constantFrom(...written)), (each) => {
      const whole = parseTree(each, [], { disallowComments: true });
      if (whole === undefined) throw new Error("the generator made no JSON");
      expect(toPlain(readTree(each))).toEqual(toPlain(whole));
    }),
  );
});
