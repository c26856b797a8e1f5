// Tests the steps in which the trees of several chains get their nodes after a start: each step is short, whatever the number of chains.

import { expect, test } from "bun:test";
import { entryHash } from "../../../src/audit/chain.ts";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { createSigner, createSigningKey } from "../../../src/audit/signed-note.ts";
import { statementText } from "../../../src/audit/tree.ts";
import { createNoteReader } from "../../../src/audit/verify/note-reader.ts";
import { createChainTrees } from "../../../src/engines/sqlite/ledger/chain-tree.ts";
import { createCheckpoints } from "../../../src/engines/sqlite/ledger/checkpoints.ts";
import { readKnownHeads } from "../../../src/engines/sqlite/ledger/known-heads.ts";
import { formatVersion } from "../../../src/engines/sqlite/schema/migrate.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { makeDatabase } from "./schema-text.ts";

const signer = createSigner(createSigningKey());
const logger = createLogger("error");

/** Chains that were begun on records of version 1, which the server knows. */
function makeChains(recordCounts: readonly number[]) {
  const database = makeDatabase(formatVersion);
  database.exec("PRAGMA foreign_keys = OFF");
  for (const [index, records] of recordCounts.entries()) {
    const [chain, genesis] = [`${index}`.repeat(32), "0".repeat(64)];
    const statement = statementText({ chain, first: records + 1, genesis, hash: genesis, through: 0 });
    database
      .prepare(
        "INSERT INTO audit_chain (number, project, id, genesis, hash, tree) VALUES (?, ?, ?, '', ?, ?)",
      )
      .run(index, index, chain, genesis, statement);
    const insert = database.prepare(
      "INSERT INTO audit_entry (chain, seq, id, at, action, status, entry, hash) VALUES (?, ?, ?, 0, 'a', 200, ?, ?)",
    );
    let prev = genesis;
    for (let seq = 1; seq <= records; seq++) {
      const entry = JSON.stringify({ action: "a", prev, seq, v: 1 });
      prev = entryHash(entry);
      insert.run(index, seq, `${index} ${seq}`, entry, prev);
    }
  }
  const trees = createChainTrees(database);
  const ledger = { verifierKeys: [signer.verifierKey], acceptsHeads: true };
  const knownHeads = readKnownHeads({ database, signer, previousSigner: null, trees, ledger, logger });
  knownHeads.accept();
  knownHeads.committed();
  const noteReader = createNoteReader([signer.verifierKey], runtimeCryptography);
  const checkpoints = createCheckpoints({
    ...{ database, signer, knownHeads, trees, noteReader },
    ...{ notes: "unused", clock: createClock(null), logger },
  });
  const nodes = database
    .prepare<[], number>("SELECT chain FROM audit_node ORDER BY chain, level, position")
    .pluck();
  return { database, checkpoints, nodes: () => nodes.all() };
}

test("a step stores the nodes of one chain, and a chain without nodes to store is not read", () => {
  const { database, checkpoints, nodes } = makeChains([300, 200, 255, 600]);
  database.exec("DROP TRIGGER audit_entry_is_final; UPDATE audit_entry SET entry = '{}' WHERE chain = 1");
  const steps: number[] = [];
  while (checkpoints.growTrees()) steps.push(nodes().length);
  expect(steps[0]).toBeLessThan(4);
  expect(nodes()).toEqual([0, 2, 3, 3]);
  expect(checkpoints.growTrees()).toBe(false);
});
