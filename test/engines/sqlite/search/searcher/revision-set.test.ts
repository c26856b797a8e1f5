// Compares sets of revisions with sets of JavaScript, for revisions that are close and for the largest ones.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { RevisionSet } from "../../../../../src/engines/sqlite/search/searcher/revision-set.ts";

const revision = fc.oneof(fc.nat(70_000), fc.integer({ min: 0, max: 2 ** 40 - 1 }));

test("a set of revisions has what was added, each once", () => {
  fc.assert(
    fc.property(fc.array(revision), fc.array(revision), (added, others) => {
      const set = new RevisionSet();
      for (const each of [...added, ...added]) set.add(each);
      const expected = new Set(added);
      expect(set.size).toBe(expected.size);
      for (const each of [...added, ...others, ...added.map((near) => near + 1)])
        expect(set.has(each)).toBe(expected.has(each));
    }),
  );
});
