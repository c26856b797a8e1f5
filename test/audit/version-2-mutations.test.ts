// Holds both verifiers against files of version 2 that were changed at random places. `bun run proof verifiers` changes more of them.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { program, testWith } from "../needs.ts";
import { allowed, judgeMutations } from "./version-2-mutations.ts";

testWith(program("python3"))(
  "both verifiers find the same change",
  async () => {
    // Always the same ones.
    const seeds = Array.from({ length: 20 }, (_, index) => index);
    const { changes, found, faults } = await judgeMutations(seeds);
    expect(faults).toEqual([]);
    // Nothing is compared if Python cannot read payloads.
    if (changes > 0) expect(found).toBeGreaterThan(10);
  },
  180_000,
);

test("the pages say what need not be found", () => {
  const docs = join(import.meta.dir, "../../docs/engineer");
  const plain = (text: string) => text.replace(/\s+/g, " ");
  const pages = ["AUDIT-FORMAT.md", "AUDIT-FORMAT-2.md"].map((name) =>
    plain(readFileSync(join(docs, name), "utf8")),
  );
  for (const words of allowed.values()) expect(pages.some((page) => page.includes(plain(words)))).toBe(true);
});
