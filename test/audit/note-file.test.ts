// Cuts a file of notes short at every place that a crash could, and checks that the next note can be read.

import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkpointText, treeCheckpointText } from "../../src/audit/checkpoint.ts";
import { createNoteAppender } from "../../src/audit/note-file.ts";
import { createSigner, createSigningKey, openNote } from "../../src/audit/signed-note.ts";
import { splitNotes } from "../../src/audit/verify/note.ts";
import { readNewestCheckpoints } from "../../src/server/ledger/ledger-notes.ts";

const signer = createSigner(createSigningKey());
const noteOf = (size: number) =>
  signer.sign(checkpointText({ chain: "a".repeat(32), size, hash: "b".repeat(64), at: 0 }));
const path = join(tmpdir(), `memledger-notes-${crypto.randomUUID()}`);

function sizesIn(file: string): string[] {
  return splitNotes(file).flatMap((note) => openNote(note, signer.verifierKey)?.split("\n")[1] ?? []);
}

test("a note that was cut short takes none of its neighbours with it", () => {
  try {
    const first = createNoteAppender();
    first(path, noteOf(1));
    const kept = readFileSync(path, "utf8").length;
    first(path, noteOf(2));
    const whole = readFileSync(path);
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      const next = createNoteAppender();
      next(path, noteOf(3));
      next(path, noteOf(4));
      const sizes = sizesIn(readFileSync(path, "utf8"));
      expect(sizes.slice(-2)).toEqual(["3", "4"]);
      if (length >= kept) expect(sizes[0]).toBe("1");
    }
    writeFileSync(path, whole);
    createNoteAppender()(path, noteOf(3));
    expect(readFileSync(path, "utf8")).toBe(`${whole}${noteOf(3)}\n`);
  } finally {
    rmSync(path, { force: true });
  }
});

test.each([
  ["an export of early records has signed fewer leaves later", ["2 9", "2 4"], 9],
  ["another log has begun with fewer leaves", ["2 9", `${"d".repeat(32)} 1`, `${"d".repeat(32)} 4`], 4],
  ["a larger one is not signed with an accepted key", ["2 3", "other 9", "2 2"], 3],
])("the newest checkpoint of a file is the largest one of the last log: %s", (_, said, leaves) => {
  const root = mkdtempSync(join(tmpdir(), "memledger-newest-"));
  try {
    mkdirSync(join(root, "checkpoints"));
    const append = createNoteAppender();
    for (const each of said) {
      const [log = "", count] = each.split(" ");
      const tree = { chain: "a".repeat(32), leaves: Number(count), root: "b".repeat(64) };
      const [by, name] = log === "other" ? [createSigner(createSigningKey()), "2"] : [signer, log];
      append(join(root, "checkpoints", "a.notes"), by.sign(treeCheckpointText({ ...tree, log: name })));
    }
    expect(readNewestCheckpoints(root, [signer.verifierKey])).toMatchObject([{ leaves }]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
