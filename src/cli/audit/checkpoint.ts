// Binds `memledger audit checkpoint`: prints checkpoints, or keeps them in a file. Must never lose the evidence in a file that it replaces.

import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { parseAnyCheckpoint, parseTreeCheckpoint, sizeOfCheckpoint } from "../../audit/checkpoint.ts";
import { textOfNote } from "../../audit/verify/note.ts";
import { parseSuppliedNotes } from "../../audit/verify/supplied-notes.ts";
import { signCheckpoints } from "../../calls/operations/ledger/checkpoint-operations.ts";
import type { PublishedState } from "../../calls/storage/stored-ledger.ts";
import { writeWhole } from "../../platform/files/durable.ts";
import { readRegularText } from "../../platform/files/regular-file.ts";
import { explainedAs } from "../../platform/files/system-error.ts";
import { isObject, type Json, objectsIn } from "../../platform/json/json.ts";
import { evidenceFileMaxBytes } from "../../platform/limits.ts";
import { counted } from "../../platform/text/plural.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { administer } from "../access/administer.ts";
import { bindWork, type Session } from "../command.ts";

export function addCheckpointCommand(audit: Command, session: Session): void {
  const command = audit
    .command("checkpoint")
    .description(signCheckpoints.description)
    .option("--project <id|name>", "project whose chain is signed (default: all chains)")
    .option(
      "--out <file>",
      "write the checkpoints to this file, completely or not at all (default: print them)",
    )
    .option("--force", "replace the file also if it covers records that the new checkpoints do not cover");
  bindWork(command, session, async ({ config, options }) => {
    const out = typeof options.out === "string" ? resolve(options.out) : null;
    const kept = out === null || options.force === true ? [] : readKept(out);
    const input = typeof options.project === "string" ? { project: options.project } : {};
    const data = await administer(config, signCheckpoints, input, { project: "--project" });
    const signed = signedIn(data);
    const written = signed.map(({ note }) => `${note}\n`).join("");
    if (out === null) return { data, text: written };
    for (const checkpoint of kept) requireCovered(out, checkpoint, signed);
    try {
      writeWhole(out, written);
    } catch (error) {
      throw explainedAs(`The checkpoints cannot be written to ${out}`, error);
    }
    return {
      data: { ...(isObject(data) ? data : {}), file: out },
      text: `${counted(signed.length, "checkpoint")} written to ${out}.`,
    };
  });
}

interface Signed {
  readonly chain: string;
  readonly size: number;
  readonly hash: string;
  readonly note: string;
}

/** The newest checkpoints of each chain in a file that would be replaced, one of each version. @throws Error that says what to do */
function readKept(path: string): readonly PublishedState[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isFile()) throw new Error(`${path} is not a regular file. Choose another path with --out.`);
  if (found.size === 0) return [];
  const kept = checkpointsIn(parseSuppliedNotes(readRegularText(path, evidenceFileMaxBytes)).notes);
  if (kept.length === 0) {
    throw new Error(
      `${path} is not a file of checkpoints, so it is not replaced. Choose another path with --out.`,
    );
  }
  const byChain = Map.groupBy(kept, (each) => `${each.chain} ${"size" in each}`);
  return [...byChain.values()].map((each) =>
    each.reduce((one, other) => (sizeOfCheckpoint(other, 0) > sizeOfCheckpoint(one, 0) ? other : one)),
  );
}

/** @throws Error when the file states more than the ledger has */
function requireCovered(path: string, kept: PublishedState, signed: readonly Signed[]): void {
  const now = signed.find(({ chain }) => chain === kept.chain);
  const root = now === undefined ? null : parseTreeCheckpoint(textOfNote(now.note));
  const size = sizeOfCheckpoint(kept, now === undefined || root === null ? 0 : now.size - root.leaves + 1);
  const isSame = "hash" in kept ? now?.hash === kept.hash : root?.root === kept.root;
  if (now !== undefined && (now.size > size || (now.size === size && isSame))) return;
  const found =
    now === undefined
      ? "the new checkpoints do not contain this chain"
      : now.size < size
        ? `it has ${counted(now.size, "record")} now`
        : "this record is another one now";
  throw new Error(
    `${path} was not replaced: it states that chain ${kept.chain} had ${counted(size, "record")}, but ${found}. Keep the file, and run: memledger audit verify --checkpoint ${quoteWord(path)}. To write the new checkpoints, choose another path with --out, or replace the file with --force.`,
  );
}

function checkpointsIn(notes: readonly string[]): readonly PublishedState[] {
  return notes
    .map((note) => parseAnyCheckpoint(textOfNote(note)))
    .filter((checkpoint) => checkpoint !== null);
}

function signedIn(data: Json): readonly Signed[] {
  const checkpoints = isObject(data) ? objectsIn(data.checkpoints) : [];
  return checkpoints.map(({ chain, size, hash, note }) => ({
    chain: String(chain),
    size: Number(size),
    hash: String(hash),
    note: String(note),
  }));
}
