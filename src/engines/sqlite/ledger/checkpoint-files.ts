// Owns how signed checkpoints get from the transaction that stores them to their files, which can be copied to other machines. Never
// writes a note of a transaction that is not committed.

import { join } from "node:path";
import type { SignedCheckpoint } from "../../../audit/checkpoint.ts";
import { createNoteAppender } from "../../../audit/note-file.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";

export interface CheckpointFiles {
  /** The transaction has stored this checkpoint. */
  add(signed: SignedCheckpoint): void;
  /** Appends the notes of committed transactions to their files. */
  publish(): void;
  /** @returns a function that discards later notes, for a savepoint that is rolled back. */
  savepoint(): () => void;
  /** Discards the notes of a transaction that was rolled back. */
  forget(): void;
}

/** @param notes the folder of the files */
export function createCheckpointFiles(database: Database, notes: string, logger: Logger): CheckpointFiles {
  const projectOf = database
    .prepare<[string], string | null>(
      "SELECT p.id FROM audit_chain c LEFT JOIN project p ON p.serial = c.project WHERE c.id = ?",
    )
    .pluck();
  const append = createNoteAppender();
  /** By note. A call may sign the same head twice. Ed25519 is deterministic, so both notes are equal; the file gets one. */
  const unpublished = new Map<string, SignedCheckpoint>();
  return {
    add(signed) {
      if (!unpublished.has(signed.note)) unpublished.set(signed.note, signed);
    },
    publish() {
      const byChain = Map.groupBy(unpublished.values(), ({ checkpoint }) => checkpoint.chain);
      unpublished.clear();
      for (const [chain, signed] of byChain) {
        const project = projectOf.get(chain) ?? null;
        try {
          // Each write is synced, so the notes of a chain are one.
          append(join(notes, `${chain}.notes`), signed.map(({ note }) => note).join("\n"));
        } catch (error) {
          const message = "a checkpoint could not be appended to its file; it is in the database";
          logger.error(message, { project, chain, error });
        }
        for (const { checkpoint } of signed)
          logger.info("checkpoint", { project, chain, size: checkpoint.size, hash: checkpoint.hash });
      }
    },
    savepoint() {
      const kept = unpublished.size;
      return () => {
        for (const note of [...unpublished.keys()].slice(kept)) unpublished.delete(note);
      };
    },
    forget: () => unpublished.clear(),
  };
}
