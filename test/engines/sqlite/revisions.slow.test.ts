// Proves that revisions are counted for each project and never given twice, and that the migration that made them so reads no table as
// a whole.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrations } from "../../../src/engines/sqlite/schema/migrate.ts";
import { type Database, openDatabase } from "../../../src/platform/native/sqlite.ts";
import { openMember, openSeam, runtime, unitVector } from "../../calls/storage/seam.ts";
import { makeDatabase } from "./schema-text.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-revisions-"));
afterAll(() => rmSync(folder, { recursive: true }));

function revisionsOf(path: string): number[] {
  const database = openDatabase(path, runtime, { readonly: true });
  try {
    return database.prepare<[], number>("SELECT revision FROM project ORDER BY serial").pluck().all();
  } finally {
    database.close();
  }
}

test("each project counts its own, and a new writer continues after the last one, also of a memory that is gone", async () => {
  const path = join(folder, "counted.db");
  const first = await openSeam({ path });
  const [one, other] = [await first.project(), await first.project()];
  for (const n of [1, 2, 3]) await one.create({ content: `one ${n}`, vector: unitVector(n) });
  const { data } = await other.create({ content: "other", vector: unitVector(4) });
  expect(revisionsOf(path)).toEqual([3, 1]);
  expect((await other.call("memory.update", { memory_id: String(data.id), importance: 1 })).code).toBe(1000);
  expect((await other.call("memory.delete", { memory_id: String(data.id) })).status).toBe(204);
  expect((await one.call("memory.delete_all", {})).data).toEqual({ deleted_count: 3 });
  expect(revisionsOf(path)).toEqual([4, 3]);
  await first.close();

  const second = await openSeam({ path });
  for (const { id } of [one, other]) {
    const member = await openMember(second, id);
    await member.create({ content: "again", vector: unitVector(5) });
    expect(await member.search({ vector: unitVector(5) })).toHaveLength(1);
  }
  expect(revisionsOf(path)).toEqual([5, 4]);
  await second.close();
});

test("a call that is undone gives no revision to others", async () => {
  const path = join(folder, "undone.db");
  const seam = await openSeam({ path });
  const member = await seam.project();
  const vector = unitVector(1);
  await member.create({ content: "kept", vector });
  expect((await member.create({ content: "kept", vector })).code).toBe(2104);
  const broken = await member.create({ content: "not a unit vector", vector: new Float32Array(3) });
  expect(broken.code).toBe(1500);
  await member.create({ content: "next", vector: unitVector(2) });
  const [revision = 0] = revisionsOf(path);
  const database = openDatabase(path, runtime, { readonly: true });
  const stored = database.prepare<[], number>("SELECT revision FROM memory ORDER BY serial").pluck().all();
  database.close();
  expect(stored).toHaveLength(2);
  expect(new Set(stored).size).toBe(2);
  expect(stored.at(-1)).toBe(revision);
  await seam.close();
  expect(seam.complaints).toEqual([]);
});

test("the migration finds the newest revisions at the ends of indexes", () => {
  const database: Database = makeDatabase(3);
  const [update = ""] = /^UPDATE project SET revision[^;]+;/m.exec(migrations[3] ?? "") ?? [];
  database.exec("ALTER TABLE project ADD COLUMN revision INTEGER NOT NULL DEFAULT 0");
  const plan = database
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${update}`)
    .all()
    .map(({ detail }) => detail);
  database.close();
  expect(plan).toContain("SEARCH m USING COVERING INDEX memory_by_revision (project=?)");
  expect(plan.filter((detail) => detail.startsWith("SCAN"))).toEqual(["SCAN project"]);
});
