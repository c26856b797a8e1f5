// Cuts a file of notes short at every place that a crash could, and checks that the next note can be read.

import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkpointText } from "../../src/audit/checkpoint.ts";
import { createNoteAppender } from "../../src/audit/note-file.ts";
import { createSigner, createSigningKey, openNote } from "../../src/audit/signed-note.ts";
import { splitNotes } from "../../src/audit/verify/note.ts";

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
