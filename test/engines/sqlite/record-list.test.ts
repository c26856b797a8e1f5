// Asks SQLite how it finds the rows of a list of records: a page deep in a large ledger is found in an index, as the first one is.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordQuery } from "../../../src/calls/storage/ledger-store.ts";
import { createRecordList } from "../../../src/engines/sqlite/ledger/record-list.ts";
import { type Database, openDatabase } from "../../../src/platform/native/sqlite.ts";
import { buildLedger, runtime } from "../../audit/ledger.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-record-list-"));
const statements: string[] = [];
let database: Database;
let project: string;
beforeAll(() => {
  const { database: path, chains } = buildLedger({ folder, sizes: [3, 40] });
  project = chains[1]?.project ?? "";
  database = openDatabase(path, runtime, {
    readonly: true,
    verbose: (sql) => statements.push(String(sql)),
  });
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const everything: RecordQuery = {
  from: null,
  to: null,
  action: null,
  keyId: null,
  memoryId: null,
  statusClass: null,
  limit: 5,
  through: null,
  total: null,
  after: { skip: 0 },
};

/** How SQLite finds the entries of the statements that a list performs. */
function plansOf(query: RecordQuery): string[] {
  const list = createRecordList(database);
  statements.length = 0;
  list({ id: project }, query);
  return statements
    .filter((sql) => /FROM audit_entry e/.test(sql))
    .flatMap((sql) => database.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all())
    .map(({ detail }) => detail)
    .filter((detail) => / [eo]( |$)/.test(detail));
}

const byRow = "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)";
const filters: readonly (readonly [string, Partial<RecordQuery>, string])[] = [
  ["none", {}, "audit_entry_by_seq (chain=? AND seq>? AND seq<?)"],
  ["action", { action: "memory.create" }, "audit_entry_by_action (chain=? AND action=? AND seq>? AND seq<?)"],
  ["key", { keyId: "0".repeat(32) }, "audit_entry_by_key (chain=? AND key=? AND seq>? AND seq<?)"],
  [
    "memory",
    { memoryId: "0".repeat(32) },
    "audit_entry_by_memory (chain=? AND memory=? AND seq>? AND seq<?)",
  ],
  ["refused", { statusClass: 4 }, "audit_entry_failed (chain=? AND status>? AND status<?)"],
  ["subject", { subject: "0".repeat(32) }, byRow],
  ["tag", { tags: { tags: ["release"], match: "all" } }, byRow],
  ["metadata", { metadata: [{ name: "team", in: ["payments"], bounds: [], isWanted: true }] }, byRow],
  ["tag, refused", { tags: { tags: ["release"], match: "all" }, statusClass: 4 }, byRow],
  ["tag, action and key", { tags: { tags: ["a", "b"], match: "all" }, action: "a.b", keyId: "0" }, byRow],
];

test.each(filters)(
  "a page with the filter %s is found in an index, near and deep",
  (_name, filter, index) => {
    for (const after of [{ skip: 0 }, { below: 30 }]) {
      const plans = plansOf({ ...everything, ...filter, after });
      expect(plans.filter((plan) => plan.includes(index)).length).toBeGreaterThan(0);
      expect(plans.filter((plan) => plan.startsWith("SCAN"))).toEqual([]);
    }
  },
);

test("of two values the rarer leads, and the other is looked up in its index", () => {
  const plans = plansOf({ ...everything, action: "no.such", keyId: "0".repeat(32), after: { below: 30 } });
  expect(plans.filter((plan) => plan.startsWith("SCAN"))).toEqual([]);
  for (const index of ["audit_entry_by_key", "audit_entry_by_action"])
    expect(plans).toContainEqual(expect.stringContaining(`USING COVERING INDEX ${index}`));
});

test("records that succeeded are counted as all without those that failed", () => {
  const plans = plansOf({ ...everything, statusClass: 2 });
  expect(plans).toContainEqual(expect.stringContaining("USING COVERING INDEX audit_entry_failed (chain=?)"));
  expect(plans.filter((plan) => plan.startsWith("SCAN"))).toEqual([]);
});

test("records of memories are found by the tag, then by the index of memories and by the id of the source", () => {
  const list = createRecordList(database);
  statements.length = 0;
  list({ id: project }, { ...everything, tags: { tags: ["release"], match: "all" } });
  const plans = statements
    .filter((sql) => /memory_tag/.test(sql))
    .map((sql) => database.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all())
    .map((rows) => rows.map(({ detail }) => detail));
  expect(plans.length).toBe(2);
  for (const plan of plans) {
    expect(plan.filter((detail) => /^SCAN [entmp]( |$)/.test(detail))).toEqual([]);
    for (const found of [
      "SEARCH t USING PRIMARY KEY (project=? AND tag=? AND memory_type=? AND epoch=?)",
      "SEARCH n USING COVERING INDEX audit_entry_by_memory (chain=? AND memory=? AND seq>? AND seq<?)",
      "SEARCH n USING COVERING INDEX sqlite_autoindex_audit_entry_1 (id=?)",
    ])
      expect(plan).toContainEqual(expect.stringContaining(found));
  }
});
