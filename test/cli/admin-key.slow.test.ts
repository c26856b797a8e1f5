// Administration keys from the command line: made, used, revoked, and after a backup was restored.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { cleanUp, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

const dataDir = createFolder();
const backup = join(createFolder(), "backup.tar.zst");
const at = ["--data-dir", dataDir];
const create = async (...words: string[]) => (await runJson(["admin-key", "create", ...words, ...at])).object;
const plans = (url: string, { key }: JsonObject) =>
  fetch(`${url}/v1/admin/plans`, { headers: { Authorization: `Bearer ${key}` } });

test("a key works at once, is listed without its secret, and ends when it is revoked", async () => {
  const server = await serve(dataDir);
  const made = await create("--name", "server of the shop");
  expect(made).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    name: "server of the shop",
    created_at: expect.any(String),
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    key: expect.stringMatching(/^mla_[0-9A-Za-z]{43}$/),
  });
  expect((await plans(server.url, made)).status).toBe(200);
  const listed = await run(["admin-key", "list", ...at]);
  expect(listed.stdout).toContain(`${made.id}`);
  expect(listed.stdout).not.toContain("mla_");
  const id = String(made.id);
  expect((await runJson(["admin-key", "revoke", id, ...at])).object.revoked_at).toBeString();
  const refused = await plans(server.url, made);
  expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining("was revoked")]);
  await server.end("SIGTERM");
});

test("the record of its creation has no secret, and names who ran the command", async () => {
  const made = await create("--name", "made without a server");
  const shown = await run(["audit", "list", "--action", "administration_key.create", "--json", ...at]);
  expect(shown.stdout).toContain("administration_key.create");
  expect(shown.stdout).not.toContain("mla_");
  expect(shown.stdout).not.toContain(String(made.key));
});

test.each<[string[], number, string]>([
  [["create"], 2, "--name"],
  [["create", "--name", ""], 1, "--name"],
  [["create", "--name", "x", "--expires", "2020-01-01T00:00:00Z"], 1, "--expires is in the past"],
  [["revoke", "nobody"], 1, 'There is no administration key "nobody". Run "memledger admin-key list"'],
  [["revoke", `mla_${"a".repeat(43)}`], 2, 'Run "memledger admin-key list" to show the ids.'],
])("admin-key %j is refused", async (words, exitCode, message) => {
  const refused = await run(["admin-key", ...words, ...at]);
  expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringContaining(message)]);
});

test("a restored backup says which keys are in force again, or revokes them", async () => {
  const made = await create("--name", "in force");
  expect((await run(["backup", backup, "--include-signing-key", ...at])).exitCode).toBe(0);
  await run(["admin-key", "revoke", String(made.id), ...at]);
  const target = join(createFolder(), "data");
  const shown = await run(["restore", backup, "--data-dir", target]);
  expect(shown.stdout).toMatch(/2 administration keys are in force again: .*\(in force\)\. Revoke those/);
  const revoking = join(createFolder(), "data");
  const { object } = await runJson(["restore", backup, "--revoke-keys", "--data-dir", revoking]);
  expect(object).toMatchObject({ revoked_keys: 3, administration_keys_in_force: [] });
  const server = await serve(revoking);
  expect((await plans(server.url, made)).status).toBe(401);
  await server.end("SIGTERM");
});
