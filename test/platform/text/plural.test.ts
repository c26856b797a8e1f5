// Messages count in correct English: one thing in the singular, none or several in the plural.

import { expect, test } from "bun:test";
import { counted } from "../../../src/platform/text/plural.ts";

test.each([
  [counted(0, "record"), "0 records"],
  [counted(1, "record"), "1 record"],
  [counted(2, "record"), "2 records"],
  [counted(1, "memory", "memories"), "1 memory"],
  [counted(30, "memory", "memories"), "30 memories"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});
