// Attack: rows of two projects are exchanged in the database of a server. Every record stays as it was, and `audit verify` says what belongs
// to another project. What the server itself did, and removed, is never called an exchange.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeSync, cpSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { tamper } from "../audit/tamper.ts";
import { call, cleanUp, createFact, createFolder, run, runJson, serve } from "../cli/command.ts";
import {
  exchangeChains,
  exchangeIds,
  exchangeKeys,
  exchangeMemories,
  exchangeNames,
} from "./forge-owners.ts";

const honest = createFolder();
afterAll(cleanUp);

beforeAll(async () => {
  const server = await serve(honest);
  await run(["project", "create", "--name", "other", "--data-dir", honest]);
  const permissions = ["--permissions", "memory.read,memory.write"];
  const { object } = await runJson([
    "key",
    "create",
    "--project",
    "other",
    ...permissions,
    "--data-dir",
    honest,
  ]);
  for (const [key, word] of [
    [server.ready.api_key, "tea"],
    [object.key, "coffee"],
  ] as const) {
    const created = await createFact(server.url, key, `The team drinks ${word}.`);
    const { data } = (await created.json()) as { data: { id: string } };
    const send = (method: string, path: string, body: object) =>
      call(server.url, key, path, { method, body: JSON.stringify(body) });
    const memories = [{ content: `The ${word} is on the third floor.`, memory_type: "fact", source_id: "a" }];
    const statuses = [
      (await send("POST", "/v1/memories/batch", { memories })).status,
      (await send("POST", "/v1/memories/extract", { text: `We decided that ${word} is bought on Mondays.` }))
        .status,
      (await call(server.url, key, `/v1/memories/${data.id}`)).status,
      // Of another project, and of none.
      (await call(server.url, key, `/v1/memories/${other}`)).status,
      (await createFact(server.url, "ml_unknown", "x")).status,
    ];
    expect(statuses).toEqual([200, 200, 200, 404, 401]);
    other = data.id;
  }
  await run(["project", "create", "--name", "deleted", "--data-dir", honest]);
  await run(["project", "delete", "deleted", "--yes", "--data-dir", honest]);
  await server.end("SIGTERM");
}, 120_000);
let other = "f".repeat(32);

/** Overwrites the pages of a table or an index. */
function damage(path: string, name: string): void {
  let pages: number[] = [];
  let size = 0;
  tamper(path, (database) => {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    pages = database.prepare("SELECT pageno FROM dbstat WHERE name = ?").pluck().all(name) as number[];
    size = Number(database.pragma("page_size", { simple: true }));
  });
  const file = openSync(path, "r+");
  for (const page of pages) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(file);
}

test.each(["memory", "sqlite_autoindex_memory_1", "api_key"])(
  "%s is damaged: that is the finding, and the records are verified all the same",
  async (name) => {
    const dataDir = createFolder();
    cpSync(honest, dataDir, { recursive: true });
    damage(join(dataDir, "memledger.db"), name);
    const { exitCode, object } = await runJson(["audit", "verify", "--data-dir", dataDir]);
    const table = name.includes("memory") ? "memory" : name;
    expect(exitCode).toBe(20);
    expect(object.failure).toMatchObject({
      check: "index",
      message: expect.stringContaining(`the table ${table} `),
    });
    expect(Number(object.records)).toBeGreaterThan(10);
  },
);

test.each<readonly [string, string, string | null]>([
  ["nothing", "SELECT 1", null],
  ["ids and chains", exchangeIds + exchangeChains, "the key of the record belongs to another project"],
  ["names", exchangeNames, "has another name in this database"],
  ["keys", exchangeKeys, "the key of the record belongs to another project"],
  ["memories", exchangeMemories, "the memory of the record belongs to another project"],
  [
    "memories of a batch or an extraction",
    "UPDATE memory SET project = 3 - project WHERE id NOT IN (SELECT memory FROM audit_entry WHERE memory NOT NULL)",
    "a memory in the answer belongs to another project",
  ],
  [
    "everything but the names",
    exchangeIds + exchangeChains + exchangeKeys + exchangeMemories,
    "has another name in this database",
  ],
])("%s exchanged between two projects", async (_, lie, found) => {
  const dataDir = createFolder();
  cpSync(honest, dataDir, { recursive: true });
  tamper(join(dataDir, "memledger.db"), (database) => {
    database.transaction(() => lie.startsWith("SELECT") || database.exec(lie))();
  });
  const { exitCode, object } = await runJson(["audit", "verify", dataDir]);
  expect([exitCode, object.failure]).toEqual(
    found === null
      ? [10, null]
      : [20, expect.objectContaining({ check: "owner", message: expect.stringContaining(found) })],
  );
});
