// Chains of records and their trees in a database, as far as the tree reads them, for tests of what the engine makes of them.

import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import type { Signer } from "../../../src/audit/signed-note.ts";
import { statementText } from "../../../src/audit/tree.ts";
import { createNoteReader } from "../../../src/audit/verify/note-reader.ts";
import { createChainTrees } from "../../../src/engines/sqlite/ledger/chain-tree.ts";
import { createCheckpointSigning } from "../../../src/engines/sqlite/ledger/checkpoint-signing.ts";
import { formatVersion } from "../../../src/engines/sqlite/schema/migrate.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import type { Database } from "../../../src/platform/native/sqlite.ts";
import { toHex } from "../../../src/platform/text/byte-text.ts";
import { sha256 } from "../../audit/naive-tree.ts";
import { makeDatabase } from "./schema-text.ts";

/** Entries as far as the tree reads them, by seq. */
function makeEntries(count: number, first: number): { entry: string; hash: string }[] {
  const made = [{ entry: "", hash: "0".repeat(64) }];
  for (let seq = 1; seq <= count; seq++) {
    const v = seq < first ? 1 : 2;
    const entry = JSON.stringify({ action: "a", prev: made.at(-1)?.hash, seq, v });
    made.push({ entry, hash: toHex(sha256(Buffer.from(`memledger/entry/v${v}\0${entry}`))) });
  }
  return made;
}

/** A chain whose records up to `through` were removed before its tree began, and whose records from `first` on are of version 2. */
export function makeChain({ records, first, through }: { records: number; first: number; through: number }) {
  const database = makeDatabase(formatVersion);
  let entries = makeEntries(through + records, first);
  const hashAt = (seq: number) => entries[seq]?.hash ?? "";
  const statement = statementText({
    ...{ chain: "c".repeat(32), first, genesis: hashAt(0), hash: hashAt(through), through },
  });
  database
    .prepare("INSERT INTO audit_chain (number, id, genesis, hash, tree) VALUES (1, ?, '', ?, ?)")
    .run("c".repeat(32), hashAt(0), statement);
  const insert = database.prepare(
    "INSERT INTO audit_entry (chain, seq, id, at, action, status, entry, hash) VALUES (1, ?, ?, 0, 'a', 200, ?, ?)",
  );
  const append = (last: number) => {
    if (last >= entries.length) entries = makeEntries(last, first);
    const newest = Number(database.prepare("SELECT MAX(seq) FROM audit_entry").pluck().get() ?? 0);
    for (let seq = newest + 1; seq <= last; seq++)
      insert.run(seq, `${seq}`, entries[seq]?.entry, hashAt(seq));
  };
  const remove = (last: number) => {
    database.prepare("INSERT INTO audit_anchor (chain, through, at, note) VALUES (1, ?, 0, '')").run(last);
    database.prepare("DELETE FROM audit_entry WHERE seq <= ?").run(last);
  };
  append(through + records);
  if (through > 0) remove(through);
  const leaves = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      index === 0
        ? sha256(Buffer.from(`memledger/tree/v2\0${statement}`))
        : new Uint8Array(Buffer.from(hashAt(through + index), "hex")),
    );
  const follow = (trees: ReturnType<typeof createChainTrees>, last: number) => {
    const newest = Number(database.prepare("SELECT MAX(seq) FROM audit_entry").pluck().get() ?? 0);
    append(last);
    for (let seq = newest + 1; seq <= last; seq++) trees.follow(1, hashAt(seq - 1), hashAt(seq));
  };
  return { database, append, follow, remove, leaves, hashAt, trees: createChainTrees(database) };
}

/** As each start makes it. */
export function signingOf(database: Database, signer: Signer) {
  return createCheckpointSigning({
    ...{ database, signer, trees: createChainTrees(database), files: { add() {} } },
    ...{ knownHeads: { require() {}, moved() {} }, logger: createLogger("error") },
    noteReader: createNoteReader([signer.verifierKey], runtimeCryptography),
  });
}
