// Proves what a stranger can verify over HTTP with nothing but the public key: one record, and that one checkpoint continues another; after
// erasures and removals, too. Tests who may ask, and what the ledger says about it.

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { updateProject } from "../../src/calls/operations/access/project-operations.ts";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { pruneRecords } from "../../src/calls/operations/ledger/prune.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";
import { runScenarios } from "../transports/http/scenario.ts";
import { sha256 } from "./naive-tree.ts";
import { continues, leadsTo, openCheckpoint } from "./outside-verifier.ts";
import { tamper } from "./tamper.ts";

const dayMs = 86_400_000;
const app = await startTestApp();
afterAll(() => app.stop());

const textsOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

async function openProject() {
  const { id, key } = await app.createProject("business");
  const call = (path: string) => app.call("GET", path, { key });
  const create = async (content: string) => {
    await app.call("POST", "/v1/memories", { key, body: { content, memory_type: "fact" } });
    return String(app.records(id).at(-1)?.entry.id);
  };
  const checkpoint = async () => {
    const { data } = await call("/v1/audit/checkpoint");
    const opened = openCheckpoint(String(data.note), String(data.public_key));
    if (opened === null) throw new Error("the key has not signed the checkpoint");
    return { ...opened, key: String(data.public_key) };
  };
  const prove = (record: string) => call(`/v1/audit/logs/${record}/proof`);
  const consistency = (from: number, to: number) => call(`/v1/audit/consistency?from=${from}&to=${to}`);
  const countNotes = async () => {
    const { data } = await call("/v1/audit/checkpoints?page_size=100");
    return Array.isArray(data.checkpoints) ? data.checkpoints.length : 0;
  };
  return { id, key, call, create, checkpoint, prove, consistency, countNotes };
}

/** Whether the answer proves its own entry to somebody who has the key. */
function isProved(data: JsonObject, key: string): boolean {
  const entryHash = sha256(Buffer.from(`memledger/entry/v2\0${data.entry}`));
  const leaf = sha256(Uint8Array.of(0), entryHash);
  const signed = openCheckpoint(String(data.checkpoint), key);
  return (
    signed !== null &&
    Buffer.from(entryHash).toString("hex") === data.hash &&
    Buffer.from(leaf).toString("base64") === data.leaf_hash &&
    signed.size === data.tree_size &&
    key.startsWith(`${data.signed_by}+`) &&
    leadsTo({ path: textsOf(data.inclusion), index: Number(data.leaf_index), leaf }, signed.size, signed.root)
  );
}

test("every record is proved by the newest checkpoint, and one is signed only if none covers it", async () => {
  const { id, create, checkpoint, prove, countNotes } = await openProject();
  const records: string[] = [];
  for (let index = 0; index < 20; index++) records.push(await create(`The secret of room ${index} is blue.`));
  const { key, size } = await checkpoint();
  const before = await countNotes();
  for (const record of records) {
    const { status, text, data } = await prove(record);
    expect([status, isProved(data, key), data.tree_size]).toEqual([200, true, size]);
    expect(JSON.parse(String(data.entry)).id).toBe(record);
    // Nothing of the others, and no text.
    for (const other of records) expect(text.includes(other)).toBe(other === record);
    expect(text).not.toContain("secret");
  }
  expect(await countNotes()).toBe(before);
  const newest = String(app.records(id).at(-1)?.entry.id);
  const { data } = await prove(newest);
  expect([isProved(data, key), data.leaf_index === Number(data.tree_size) - 1]).toEqual([true, true]);
  expect(await countNotes()).toBe(before + 1);
});

test("an answer of which one character was changed proves nothing", async () => {
  const { create, checkpoint, prove } = await openProject();
  const record = await create("The door is red.");
  for (let index = 0; index < 5; index++) await create(`The window ${index} is green.`);
  const { key } = await checkpoint();
  const { data } = await prove(record);
  expect(isProved(data, key)).toBe(true);
  const changed = (text: string, at: number) =>
    `${text.slice(0, at)}${text[at] === "4" ? "5" : "4"}${text.slice(at + 1)}`;
  for (const name of ["entry", "hash", "leaf_hash", "checkpoint", "signed_by"]) {
    const text = String(data[name]);
    for (let at = 0; at < text.length; at++)
      expect([name, at, isProved({ ...data, [name]: changed(text, at) }, key)]).toEqual([name, at, false]);
  }
  const path = textsOf(data.inclusion);
  for (const [index, hash] of path.entries())
    for (let at = 0; at < hash.length; at++) {
      const inclusion = path.with(index, changed(hash, at));
      expect([index, at, isProved({ ...data, inclusion }, key)]).toEqual([index, at, false]);
    }
  for (const name of ["leaf_index", "tree_size"])
    expect(isProved({ ...data, [name]: Number(data[name]) + 1 }, key)).toBe(false);
});

test("each checkpoint continues every earlier one", async () => {
  const { create, checkpoint, consistency } = await openProject();
  const kept = [await checkpoint()];
  for (let index = 0; index < 8; index++) {
    for (let record = 0; record <= index; record++) await create(`Shelf ${index} has ${record} books.`);
    kept.push(await checkpoint());
  }
  for (const [index, later] of kept.entries())
    for (const former of kept.slice(0, index + 1)) {
      const { data } = await consistency(former.size, later.size);
      const proof = textsOf(data.consistency);
      expect([former.size, later.size, continues(former, later, proof)]).toEqual([
        former.size,
        later.size,
        true,
      ]);
      expect(continues({ ...former, root: later.root }, later, proof)).toBe(former.size === later.size);
    }
});

test("an erased record is still proved, and one that retention has removed is not there; its checkpoints stay", async () => {
  const { id, call, create, checkpoint, prove, consistency } = await openProject();
  const old = await create("An old text.");
  await create("Another old text.");
  await create("A third old text.");
  const former = await checkpoint();
  await create("A fourth old text.");
  app.passTime(31 * dayMs);
  const erased = await create("Ada lives in Lane 21.");
  await app.administer(eraseRecords, { record: erased });
  const later = await checkpoint();
  const proof = await prove(erased);
  expect([proof.status, isProved(proof.data, later.key)]).toEqual([200, true]);
  expect(proof.text).not.toContain("Ada");
  expect((await call(`/v1/audit/logs/${erased}`)).data.redacted).toBe(true);

  await app.administer(updateProject, { project: id, retention_days: 30 });
  // Hidden before they are removed.
  expect((await prove(old)).code).toBe(2204);
  await app.administer(pruneRecords, {});
  expect((await prove(old)).code).toBe(2204);
  expect(isProved((await prove(erased)).data, later.key)).toBe(true);
  const { data } = await consistency(former.size, later.size);
  expect(continues(former, later, textsOf(data.consistency))).toBe(true);
  const refused = await consistency(former.size - 1, later.size);
  expect([refused.code, refused.message]).toEqual([
    1400,
    'Field "from" is a size of which retention has removed the records. Send the size of a checkpoint.',
  ]);
});

describe("calls", async () => {
  const { id, key } = await app.createProject("business");
  const other = await app.createProject("business");
  const pro = await app.createProject("pro");
  const writer = await app.createKey(id, ["memory.read", "audit.write"]);
  await app.call("GET", "/v1/memories", { key });
  await app.call("GET", "/v1/memories", { key: pro.key });
  const record = String(app.records(id).at(-1)?.entry.id);
  const path = `/v1/audit/logs/${record}/proof`;
  const sizes = "/v1/audit/consistency?from=1&to=2";
  const method = "GET";
  runScenarios(app, [
    { name: "proof", method, path, options: { key }, status: 200, code: 1000, recordedFor: id },
    {
      name: "proof, without a key",
      ...{ method, path, options: { key: null }, status: 401, code: 1401, recordedFor: null },
    },
    {
      name: "proof, without the permission",
      ...{ method, path, options: { key: writer.key }, status: 403, code: 1403, recordedFor: id },
    },
    {
      name: "proof, of another project",
      ...{ method, path, options: { key: other.key }, status: 404, code: 2204, recordedFor: other.id },
    },
    {
      name: "proof, no identifier",
      ...{ method, path: "/v1/audit/logs/none/proof", options: { key } },
      ...{ status: 404, code: 2204, recordedFor: id },
    },
    {
      name: "proof, a plan without hashes",
      ...{ method, path, options: { key: pro.key }, status: 403, code: 2207, recordedFor: pro.id },
    },
    { name: "consistency", method, path: sizes, options: { key }, status: 200, code: 1000, recordedFor: id },
    {
      name: "consistency, without the permission",
      ...{ method, path: sizes, options: { key: writer.key }, status: 403, code: 1403, recordedFor: id },
    },
    {
      name: "consistency, a plan without hashes",
      ...{ method, path: sizes, options: { key: pro.key }, status: 403, code: 2207, recordedFor: pro.id },
    },
    ...["?from=2&to=1", "?from=0&to=1", "?to=1", "?from=1", "?from=1&to=1000000", "?from=x&to=2"].map(
      (query) => ({
        name: `consistency, ${query}`,
        ...{ method, path: `/v1/audit/consistency${query}`, options: { key } },
        ...{ status: 400, code: 1400, recordedFor: id },
      }),
    ),
  ]);
});

test("a record that was changed in the file is not proved", async () => {
  const { create, checkpoint, prove } = await openProject();
  const record = await create("The bell rings at nine.");
  const { key } = await checkpoint();
  tamper(join(app.config.dataDir, "memledger.db"), (database) => {
    database
      .prepare(
        "UPDATE audit_entry SET entry = replace(entry, '\"status\":201', '\"status\":200') WHERE id = ?",
      )
      .run(record);
  });
  const { data } = await prove(record);
  expect([JSON.parse(String(data.entry)).status, isProved(data, key)]).toEqual([200, false]);
});
