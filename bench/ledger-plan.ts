// Asks SQLite how it answers the statements of a list by action: the reader's own ones, caught on their way. Never
// changes the database.

import { join } from "node:path";
import type { Project } from "../src/access/project.ts";
import { createRecordList } from "../src/engines/sqlite/ledger/record-list.ts";
import { prepareRuntime } from "../src/platform/native/runtime.ts";
import { openDatabase } from "../src/platform/native/sqlite.ts";
import type { Measure } from "./harness.ts";
import { actions, type FilledLedger } from "./ledger-fill.ts";

/** Has the product's own reader ask, and SQLite tell how it would answer each of its statements. */
export function planned(dataDir: string, { projectId }: FilledLedger): Measure {
  const statements: string[] = [];
  const database = openDatabase(join(dataDir, "memledger.db"), prepareRuntime("unused-from-source"), {
    readonly: true,
    verbose: (sql) => statements.push(String(sql)),
  });
  try {
    const project: Project = {
      id: projectId,
      name: "ledger",
      plan: "custom",
      credits: null,
      subscription: "active",
      memoryLimit: null,
      passageLimit: null,
      retentionDays: null,
      createdAt: 0,
    };
    const list = createRecordList(database);
    statements.length = 0;
    const anything = {
      from: null,
      to: null,
      keyId: null,
      memoryId: null,
      statusClass: null,
      limit: 50,
    };
    list(project, { ...anything, action: actions.rare, through: null, total: null, after: { skip: 0 } });
    const selects = statements.filter((sql) => sql.includes("FROM audit_entry e"));
    const steps = selects.flatMap((sql) =>
      database
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail),
    );
    const ofEntries = steps.filter((step) => / e( |$)/.test(step));
    const searches =
      /^SEARCH e USING (COVERING INDEX audit_entry_by_action \(chain=\? AND action=\? AND seq|INTEGER PRIMARY KEY)/;
    return {
      what: "query plan of a list by action",
      figure: [...new Set(ofEntries)].join("; "),
      comparedTo: `${selects.length} statements of the reader itself`,
      bar: "never a scan",
      reached: ofEntries.length >= 2 && ofEntries.every((step) => searches.test(step)),
    };
  } finally {
    database.close();
  }
}
