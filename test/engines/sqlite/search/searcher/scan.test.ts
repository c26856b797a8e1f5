// Proves that a search in the database does its work in steps, so that other projects can have their turns in between.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { openReading } from "../../../../../src/engines/sqlite/database-file/connection.ts";
import { createScan } from "../../../../../src/engines/sqlite/search/searcher/scan.ts";
import { openSeam, runtime, unitVector } from "../../../../calls/storage/seam.ts";
import { removeFoldersAfterEach } from "../../../../cleanup.ts";

const createFolder = removeFoldersAfterEach();

test("a search in the database pauses after each thousand memories, also with words and with tags that few have", async () => {
  const path = join(createFolder(), "memledger.db");
  const seam = await openSeam({ path });
  const member = await seam.project();
  const numbers = Array.from({ length: 2_100 }, (_, number) => number);
  await Promise.all(
    numbers.map((number) => member.create({ content: `release ${number}`, vector: unitVector(number) })),
  );
  const database = openReading({ path, runtime });
  try {
    const scan = createScan(database, () => () => []);
    const query = {
      ...{ vector: unitVector(9_999), topK: 3, minSimilarity: 0, now: Date.now() },
      ...{ types: null, includeExpired: false, includeInactive: false },
    };
    const search = (words: string | null, tags: readonly string[] | null) => {
      const filter = tags === null ? null : { tags, match: "all" as const };
      const steps = scan([1], { ...query, words, tags: filter });
      for (let pauses = 0; ; pauses++) {
        const { done, value } = steps.next();
        if (done === true) return { pauses, found: value.map(({ serial }) => serial) };
      }
    };
    const semantic = search(null, null);
    expect(semantic.pauses).toBe(3);
    expect(semantic.found).toHaveLength(3);
    // Three steps each for the memories that can be found, for the list of a word in pieces and for the similarities.
    const hybrid = search("release 2099", null);
    expect(hybrid.pauses).toBeGreaterThanOrEqual(3 + 2 + 3);
    expect(hybrid.found[0]).toBe(2_100);
    expect(search("release", ["nobody"])).toMatchObject({ pauses: hybrid.pauses - 1, found: [] });
  } finally {
    database.close();
    await seam.close();
  }
});
