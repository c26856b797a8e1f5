// What /health/ready and the log say about a disk that fills up, and a database file that is damaged.

import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { closeSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json } from "../../src/platform/json/json.ts";
import { whyNoMount } from "../crash/disk-faults.ts";
import { testWith } from "../needs.ts";
import { call, cleanUp, createFact, createFolder, runJson, serve } from "./command.ts";

afterAll(cleanUp);

test("a damaged table makes it unready, and the log names the cause and the remedy", async () => {
  const dataDir = createFolder();
  const first = await serve(dataDir);
  const { api_key: key } = first.ready;
  expect((await createFact(first.url, key, "Before the damage.")).status).toBe(201);
  await first.end("SIGTERM");
  overwriteRoot(join(dataDir, "memledger.db"), "audit_payload");

  const server = await serve(dataDir);
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  for (let sent = 0; sent < 5; sent++) {
    const refused = await createFact(server.url, key, "After the damage.");
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringMatching(
        /the call was not executed: the database file is damaged.+must restore the last backup/,
      ),
    ]);
  }
  for (let asked = 0; asked < 5; asked++) {
    const answer = await fetch(`${server.url}/health/ready`);
    const envelope: Json = JSON.parse(await answer.text());
    expect(answer.status).toBe(503);
    expect(isObject(envelope) && envelope).toMatchObject({
      message: expect.not.stringContaining("Try again"),
      data: {
        status: "unready",
        reasons: expect.arrayContaining([expect.stringMatching(/^the database file is damaged/)]),
      },
    });
    await Bun.sleep(100);
  }
  const health = await runJson(["health", "--data-dir", dataDir]);
  expect(health.object.message).toMatch(/restore the last backup: stop the server.+run memledger restore/);
  expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  const command = await runJson(["project", "create", "--name", "x", "--data-dir", dataDir]);
  expect(command.object).toMatchObject({
    error: { code: 1503, message: expect.stringContaining("the database file is damaged") },
  });
  const { stderr } = await server.end("SIGTERM");
  // However many calls failed.
  expect((stderr.match(/housekeeping failed/g) ?? []).length).toBeLessThan(2);
  expect(stderr.match(/a transaction was rolled back/g)).toHaveLength(1);
  expect(stderr).toContain("check the disk, and restore the last backup");
  const doctor = await runJson(["doctor", "--data-dir", dataDir]);
  expect(doctor.stdout).toContain("restore the last backup");
  expect(doctor.stdout).not.toContain("run memledger doctor");
});

test("while the file is damaged, nothing is written elsewhere in it, and what can be read is read", async () => {
  const dataDir = createFolder();
  const first = await serve(dataDir);
  const { api_key: key } = first.ready;
  expect((await createFact(first.url, key, "Before the damage.")).status).toBe(201);
  await first.end("SIGTERM");
  overwriteRoot(join(dataDir, "memledger.db"), "memory_check_by_project");
  const server = await serve(dataDir);
  await call(server.url, key, "/v1/checks");
  let refused = await createFact(server.url, key, "After the damage, 0.");
  // The check of the whole file runs in a thread of its own.
  for (let sent = 1; refused.status === 201; sent++)
    refused = await createFact(server.url, key, `After the damage, ${sent}.`);
  expect([refused.status, await refused.text()]).toEqual([
    503,
    expect.stringMatching(/file is damaged.+must restore the last backup: stop the server/),
  ]);
  expect((await call(server.url, key, "/v1/memories")).status).toBe(200);
  await server.end("SIGTERM");

  // So does whoever opens it next.
  const without = async (...words: string[]) => (await runJson([...words, "--data-dir", dataDir])).object;
  const damaged = { error: { message: expect.stringMatching(/file is damaged.+run memledger restore/) } };
  expect(await without("project", "create", "--name", "x")).toMatchObject(damaged);
  expect(await without("audit", "prune")).toMatchObject(damaged);
  expect(await without("audit", "rotate-key", "--yes")).toMatchObject(damaged);
  expect(await without("audit", "list", "--project", "default")).toMatchObject({ logs: expect.any(Array) });
  expect(await without("project", "list")).not.toHaveProperty("error");
  expect(await without("audit", "verify")).toHaveProperty("verdict");
  const again = await serve(dataDir);
  expect((await createFact(again.url, key, "After the restart.")).status).toBe(503);
  expect((await call(again.url, key, "/v1/memories")).status).toBe(200);
  await again.end("SIGTERM");
}, 90_000);

test("a database that was replaced by an intact one is written again", async () => {
  const dataDir = createFolder();
  const first = await serve(dataDir);
  await first.end("SIGTERM");
  writeFileSync(join(dataDir, "memledger.db-damaged"), "");
  const created = await runJson(["project", "create", "--name", "x", "--data-dir", dataDir]);
  expect(created.object).toMatchObject({ name: "x" });
  expect(existsSync(join(dataDir, "memledger.db-damaged"))).toBe(false);
});

testWith(whyNoMount())("little free space makes an idle server unready until there is more", async () => {
  const folder = createFolder();
  const words = ["-t", "tmpfs", "-o", "size=48m", "memledger-test", folder];
  expect(Bun.spawnSync(["mount", ...words]).exitCode).toBe(0);
  try {
    const server = await serve(join(folder, "data"));
    const ready = () => fetch(`${server.url}/health/ready`);
    expect((await ready()).status).toBe(200);
    writeFileSync(join(folder, "filler"), Buffer.alloc(40 * 1024 * 1024));
    const full = await ready();
    expect([full.status, await full.text()]).toEqual([
      503,
      expect.stringMatching(/\d MiB of disk space are free, 16 MiB are needed/),
    ]);
    rmSync(join(folder, "filler"));
    expect((await ready()).status).toBe(200);
    await server.end("SIGTERM");
  } finally {
    Bun.spawnSync(["umount", "-l", folder]);
  }
});

function overwriteRoot(path: string, table: string): void {
  const database = new Database(path, { readonly: true });
  const row: unknown = database.query("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table);
  const size: unknown = database.query("PRAGMA page_size").get();
  database.close();
  if (!isObject(row) || !isObject(size)) throw new Error(`${table} has no page`);
  const pageBytes = Number(size.page_size);
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (Number(row.rootpage) - 1) * pageBytes);
  closeSync(file);
}
