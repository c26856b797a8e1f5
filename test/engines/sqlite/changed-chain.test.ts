// Another process appends to the chain of one project while the server runs. The calls of this project are refused; those of other
// projects in the same transaction are not, and an erasure that fails half-way leaves nothing behind.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyTrace } from "../../../src/audit/trace/traced.ts";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { openSeam, runtime, unitVector } from "../../calls/storage/seam.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-changed-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Copies the newest record of a project's chain to the position after it. */
function appendAsAnotherProcess(path: string, projectId: string): void {
  const database = openDatabase(path, runtime);
  database
    .prepare(
      `INSERT INTO audit_entry (chain, seq, id, at, action, status, entry, hash)
       SELECT chain, seq + 1, hex(randomblob(16)), at, action, status, entry, hash FROM audit_entry
       WHERE chain = (SELECT number FROM audit_chain WHERE project = (SELECT serial FROM project WHERE id = ?))
       ORDER BY seq DESC LIMIT 1`,
    )
    .run(projectId);
  database.close();
}

test("only the calls of the changed chain are refused", async () => {
  const path = join(folder, "group.db");
  const seam = await openSeam({ path });
  const [changed, other] = [await seam.project(), await seam.project()];
  for (const member of [changed, other]) await member.create({ content: "before", vector: unitVector(1) });
  appendAsAnotherProcess(path, changed.id);
  const calls = Array.from({ length: 10 }, (_, n) =>
    (n % 2 === 0 ? changed : other).create({ content: `after ${n}`, vector: unitVector(2 + n) }),
  );
  const codes = (await Promise.all(calls)).map(({ code }) => code);
  expect(codes).toEqual(Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? 1503 : 1000)));
  const found = async (member: typeof other) => (await member.list({ direction: "asc" })).total;
  expect([await found(changed), await found(other)]).toEqual([1, 6]);
  await seam.close();
});

test("an erasure in two chains, of which one was changed, is undone in both, and the other chain goes on", async () => {
  const path = join(folder, "erasure.db");
  const seam = await openSeam({ path });
  const [other, changed] = [await seam.project(), await seam.project()];
  const { data } = await other.create({ content: "named elsewhere", vector: unitVector(1) });
  const memory = String(data.id);
  await changed.create({ content: `see ${memory}`, vector: unitVector(2) });
  appendAsAnotherProcess(path, changed.id);
  const prepared = await seam.store.audit.trace({ ...emptyTrace, memories: [memory] });
  expect(prepared.records.map(({ project }) => project)).toEqual([other.id, changed.id]);
  const input = { memory };
  const erased = await seam.commit({
    operation: "audit.redact",
    keyId: null,
    bodyText: JSON.stringify(input),
    decision: { refused: null, parameters: {}, prepared: { ...prepared, memories: [], made: [] } },
  });
  expect(erased.code).toBe(1503);
  expect((await other.create({ content: "goes on", vector: unitVector(3) })).code).toBe(1000);
  const database = openDatabase(path, runtime, { readonly: true });
  const actions = database
    .prepare(
      "SELECT action FROM audit_entry WHERE chain = (SELECT number FROM audit_chain WHERE project = (SELECT serial FROM project WHERE id = ?))",
    )
    .pluck();
  expect(actions.all(other.id)).toEqual(["memory.create", "memory.create"]);
  const [payloads] = [database.prepare("SELECT COUNT(*) FROM audit_payload").pluck().get()];
  const [notes] = [database.prepare("SELECT COUNT(*) FROM audit_checkpoint WHERE size > 0").pluck().get()];
  expect([Number(payloads) > 4, notes]).toEqual([true, 0]);
  database.close();
  await seam.close();
});

test("retention skips a changed chain, and prunes those after it", async () => {
  const path = join(folder, "retention.db");
  const seam = await openSeam({ path });
  const fields = { retention_days: 1 };
  const [changed, other] = [await seam.project(fields), await seam.project(fields)];
  for (const member of [changed, other])
    for (const n of [1, 2]) await member.create({ content: `memory ${n}`, vector: unitVector(n) });
  seam.passTime(2 * 86_400_000);
  for (const member of [changed, other]) await member.create({ content: "new", vector: unitVector(3) });
  appendAsAnotherProcess(path, changed.id);
  const swept = await seam.store.retention.run();
  expect(swept).toMatchObject([
    { project: changed.id, records: 0, skipped: expect.stringContaining("audit verify") },
    { project: other.id, records: 2, skipped: null },
  ]);
  await seam.close();
});
