// Tests `memledger memory reactivate`: it finds what a newer memory has superseded, and nothing that a person has deactivated.

import { afterAll, expect, test } from "bun:test";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { openDatabase } from "../../src/platform/native/sqlite.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { startTestApp } from "../fixture.ts";
import { cleanUp, run } from "./command.ts";

const app = await startTestApp();
afterAll(async () => {
  await app.stop();
  await cleanUp();
});
const reactivate = (...words: string[]) =>
  run(["memory", "reactivate", ...words, "--url", app.url], { MEMLEDGER_API_KEY: app.apiKey });

test("superseded memories are listed, and active again with --apply, in the ledger", async () => {
  const ids: string[] = [];
  for (const content of ["Ana lives in Oslo.", "Ana likes tea.", "Ana moved to TypeScript."]) {
    const { data } = await app.call("POST", "/v1/memories", {
      body: { content, memory_type: "fact", importance: 0.5 },
    });
    ids.push(String(data.id));
  }
  const [superseded = "", deactivated = "", newer = ""] = ids;
  for (const id of [superseded, deactivated])
    await app.call("PUT", `/v1/memories/${id}`, { body: { is_active: false } });
  // As an extraction of version 0.1.0 has left it.
  const { database: path, runtime } = locate(app.config.dataDir);
  const database = openDatabase(path, prepareRuntime(runtime));
  database.prepare("UPDATE memory SET superseded_by = ? WHERE id = ?").run(newer, superseded);
  database.close();

  const listed = await reactivate();
  expect(listed.exitCode).toBe(0);
  expect(listed.stdout).toContain(superseded);
  expect(listed.stdout).toContain("Ana lives in Oslo.");
  expect(listed.stdout).not.toContain(deactivated);
  const refused = await reactivate(deactivated, "--apply");
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`${deactivated}: no memory`),
  ]);
  const applied = await reactivate(superseded, "--apply");
  expect(applied.stdout).toContain("1 memory is active again.");
  const read = async (id: string) => (await app.call("GET", `/v1/memories/${id}`)).data;
  expect(await read(superseded)).toMatchObject({ is_active: true });
  expect(await read(superseded)).not.toHaveProperty("superseded_by");
  expect(await read(deactivated)).toMatchObject({ is_active: false });
  expect((await reactivate()).stdout).toContain("No memory is inactive because of a newer one.");
});
