// Attacks on removal: payloads and records are deleted, and the forger appends the record that would account for it, or signs an anchor
// with the key that lies beside the database. The copies are verified with checkpoints that were kept elsewhere.

import { anchorText } from "../../src/audit/checkpoint.ts";
import type { Database } from "../../src/platform/native/sqlite.ts";
import type { Base } from "../audit/forge.ts";
import { appendForged, at, broken, type Case, payloadOf } from "../audit/forge-case.ts";

const deletePayload = `DELETE FROM audit_payload WHERE ${payloadOf(15)}`;

export const forgedRemovals: readonly Case[] = [
  {
    name: "unsigned-redaction",
    lie(database) {
      database.exec(deletePayload);
      appendForged(database, "audit.redact", { redacted: [15] });
    },
    expected: broken("payload", 15),
  },
  {
    name: "unsigned-payload-prune",
    lie(database) {
      database.exec(`DELETE FROM audit_payload WHERE entry IN
        (SELECT number FROM audit_entry WHERE chain = 2 AND seq <= 19 AND action NOT LIKE 'audit.%')`);
      appendForged(database, "audit.prune", { payloads_through: 19 });
    },
    expected: broken("payload", 9),
  },
  {
    name: "unsigned-redaction-of-unsigned-record",
    lie(database) {
      database.exec(`DELETE FROM audit_payload WHERE ${payloadOf(45)}`);
      appendForged(database, "audit.redact", { redacted: [45] });
    },
    expected: broken("payload", 45),
  },
  {
    name: "anchor-without-record",
    lie: (database, base) => setAnchor(database, base, 9),
    expected: broken("anchor", 9),
  },
  {
    name: "anchor-with-unsigned-record",
    lie(database, base) {
      appendForged(database, "audit.prune", { through: 9, count: 3, cause: "retention" });
      setAnchor(database, base, 9);
    },
    expected: broken("anchor", 9),
  },
  {
    name: "anchor-with-record-of-another-count",
    lie(database, base) {
      setAnchor(database, base, 9, 6);
      database.exec("DELETE FROM audit_anchor WHERE through = 6");
      appendForged(database, "audit.prune", { through: 9, count: 3, cause: "retention" });
    },
    expected: broken("anchor", 9),
  },
  {
    name: "anchor-record-deleted-payload",
    lie: `DELETE FROM audit_payload WHERE ${payloadOf(29)}`,
    expected: broken("anchor", 6),
  },
];

/** Removes the oldest records as retention does, with an anchor that the server's own key signed. */
function setAnchor(database: Database, { ledger }: Base, through: number, count = through - 6): void {
  const [chain, records] = [ledger.chains[1]?.chain ?? "", ledger.chains[1]?.records ?? []];
  const [first, last] = [records[through - count], records[through - 1]];
  if (first === undefined || last === undefined) throw new Error("no such record");
  const times = { firstAt: first.at, lastAt: last.at };
  const text = anchorText({ chain, through, hash: last.hash, ...times, count, cause: "retention" });
  database
    .prepare("INSERT INTO audit_anchor (chain, through, at, note) VALUES (2, ?, ?, ?)")
    .run(through, last.at, ledger.signer.sign(text));
  for (let seq = 1; seq <= through; seq++) {
    database.exec(
      `DELETE FROM audit_payload WHERE ${payloadOf(seq)}; DELETE FROM audit_entry WHERE ${at(seq)}`,
    );
  }
}
