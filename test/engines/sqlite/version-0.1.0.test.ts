// Opens what version 0.1.0 has left: its database (format 3), its checkpoints and its exports are kept beside this file. They verify as
// they are, and a server of today migrates the database and continues its chains.

import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyPath } from "../../../src/cli/audit/verify.ts";
import { formatVersion } from "../../../src/engines/sqlite/schema/migrate.ts";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { runtime } from "../../calls/storage/seam.ts";
import { call, cleanUp, run, serve } from "../../cli/command.ts";

const kept = {
  folder: join(import.meta.dir, "version-0.1.0"),
  project: "01a201f9778b70d3b7674de326ff82f2",
  secret: "ml_cFHwVaDV0UjCSSvPueVU2Kq80fWtxied9V9HRSFfhI4",
  fact: "01a201f977b770eba42dbfea21ad5f11",
  rule: "01a201f977e370df8a13f382b637cce5",
  context: "01a201f9786f705593334b8ccbbd881c",
  /** Deleted alone, and with all contexts. */
  gone: ["01a201f977ee70a5b845e2293ed4d302", "01a201f977e870aa90dc25252ef17f5b"],
  secondSecret: "ml_wCaRnZi7t7oRpjkyVi8HDCL22BJlM4n1n1M5B1QYAmL",
};
const publicKey = join(kept.folder, "audit.pub");

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  await cleanUp();
});

/** A data directory with everything that version 0.1.0 has left in its own. */
function copied(): string {
  const folder = mkdtempSync(join(tmpdir(), "memledger-0.1.0-"));
  folders.push(folder);
  for (const name of ["memledger.db", "audit.key", "audit.pub", "checkpoints"])
    cpSync(join(kept.folder, name), join(folder, name), { recursive: true });
  return folder;
}

const verify = async (path: string, checkpoints: readonly string[] = []) => {
  const { finding } = await verifyPath(path, { checkpoints, publicKey, project: null });
  const { verdict, failure, contradiction, records } = finding;
  // Retention removes records of the installation after a year.
  const ofProjects = finding.chains.flatMap((chain) => (chain.project === null ? [] : [chain.records]));
  return { verdict, failure, contradiction, records, ofProjects };
};
const notes = readdirSync(join(kept.folder, "checkpoints")).map((name) =>
  join(kept.folder, "checkpoints", name),
);

test("the files are as version 0.1.0 has left them, and small", () => {
  const database = openDatabase(join(copied(), "memledger.db"), runtime, { readonly: true });
  expect(database.pragma("user_version", { simple: true })).toBe(3);
  database.close();
  const names = readdirSync(kept.folder, { recursive: true }).map((name) => join(kept.folder, String(name)));
  const sizes = names.map((name) => statSync(name)).map((stat) => (stat.isFile() ? stat.size : 0));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(300_000);
});

describe("verification", () => {
  test("of the database, alone and with the checkpoints that were kept elsewhere", async () => {
    const nothing = { failure: null, contradiction: null, ofProjects: [14, 2] };
    const path = join(copied(), "memledger.db");
    expect(await verify(path)).toEqual({ verdict: "unattested", records: 24, ...nothing });
    expect(await verify(path, notes)).toEqual({ verdict: "intact", records: 24, ...nothing });
  });

  test.each(["export.csv", "export.json"])("of the export %s", async (name) => {
    expect(await verify(join(kept.folder, name))).toMatchObject({
      failure: null,
      contradiction: null,
      records: 14,
    });
  });
});

describe("a server of today", () => {
  const listOf = (data: Readonly<Record<string, unknown>>) =>
    Array.isArray(data.memories) ? data.memories : [];

  test("migrates the database, finds everything, and continues its chains", async () => {
    const folder = copied();
    const server = await serve(folder);
    const ask = async (method: string, path: string, body?: unknown, key = kept.secret) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { code, data = {} } = JSON.parse((await response.text()) || "{}");
      return { code, data };
    };
    const all = listOf((await ask("GET", "/v1/memories")).data).map((memory) => memory.id);
    expect(all.toSorted()).toEqual([kept.fact, kept.rule, kept.context].toSorted());
    for (const id of kept.gone) expect((await ask("GET", `/v1/memories/${id}`)).code).toBe(2100);
    const found = await ask("POST", "/v1/memories/search", {
      query: "release on Thursdays",
      mode: "hybrid",
      top_k: 1,
    });
    expect(found.data.results).toMatchObject([{ memory: { id: kept.fact }, score_details: { keyword: 1 } }]);

    const content = "Releases go out on Thursdays.";
    const doubled = { content, memory_type: "fact" };
    expect(await ask("POST", "/v1/memories", doubled)).toMatchObject({
      code: 2104,
      data: { memory_id: kept.fact },
    });
    const changed = { content: "Releases go out on Fridays, after lunch." };
    expect((await ask("PUT", `/v1/memories/${kept.fact}`, changed)).code).toBe(1000);
    const lunch = await ask("POST", "/v1/memories/search", { query: "lunch", mode: "hybrid", top_k: 1 });
    expect(lunch.data.results).toMatchObject([{ memory: { id: kept.fact } }]);
    const second = { content: "The second project goes on.", memory_type: "fact" };
    expect((await ask("POST", "/v1/memories", second, kept.secondSecret)).code).toBe(1000);
    expect((await ask("DELETE", "/v1/memories", { memory_type: "fact" })).data).toEqual({ deleted_count: 1 });
    expect((await server.end("SIGTERM")).exitCode).toBe(0);

    const path = join(folder, "memledger.db");
    const verified = await verify(path, notes);
    expect(verified).toMatchObject({ verdict: "intact", failure: null, contradiction: null });
    expect(verified.ofProjects).toEqual([14 + 8, 2 + 1]);
    const database = openDatabase(path, runtime, { readonly: true });
    expect(database.pragma("user_version", { simple: true })).toBe(formatVersion);
    const [first, other] = database
      .prepare<[], { revision: number; newest: number }>(
        `SELECT p.revision, (SELECT MAX(epoch) FROM pool WHERE project = p.serial) AS newest FROM project p ORDER BY serial`,
      )
      .all();
    database.close();
    // Continued after the revisions of version 0.1.0, which both projects shared, each for itself from then on.
    expect(first?.revision).toBe(first?.newest ?? 0);
    expect(other?.revision).toBeGreaterThan(other?.newest ?? 0);
    expect(readFileSync(path).includes("Ferdinand")).toBe(false);
  });

  test("exports the records of then and now together", async () => {
    const folder = copied();
    const server = await serve(folder);
    await call(server.url, kept.secret);
    const out = join(folder, "together.json");
    const span = ["--from", "2026-01-01", "--to", "2098-12-31"];
    const exported = await run([
      "audit",
      "export",
      "--project",
      kept.project,
      ...span,
      "--format",
      "json",
      "--out",
      out,
      "--data-dir",
      folder,
    ]);
    expect([exported.exitCode, exported.stderr]).toEqual([0, ""]);
    await server.end("SIGTERM");
    expect(await verify(out)).toMatchObject({ failure: null, contradiction: null, records: 15 });
  });
});
