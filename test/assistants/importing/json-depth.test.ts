// A JSON document with brackets without end is refused before they fill the memory.

import { expect, test } from "bun:test";
import { readJsonElements } from "../../../src/assistants/importing/json-elements.ts";

async function read(text: string) {
  const found: unknown[] = [];
  for await (const each of readJsonElements(new Blob([text]).stream())) found.push(each);
  return found;
}

test("of brackets only, or within an object", async () => {
  const fault = "is nested too deeply; the rest of the file is not read";
  expect((await read("[".repeat(5_000_000))).at(-1)).toMatchObject({ fault });
  expect((await read(`[{"a":${"[".repeat(5_000)}`)).at(-1)).toMatchObject({ fault });
});

test("a document that is deep, but not too deep, is read", async () => {
  const value = `{"a":${"[".repeat(900)}${"]".repeat(900)}}`;
  expect(await read(`[${value}]`)).toEqual([{ line: 1, member: null, text: value }]);
});
