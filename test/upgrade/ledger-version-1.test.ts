// A data directory of version 1 of the record format, with everything that removes or replaces something: it is migrated, goes on, and
// parts of a record are erased. What an auditor has kept before and after must fit all of it, by both verifiers.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { verifyPath } from "../../src/cli/audit/verify.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { pythonVerdict } from "../audit/ask-python.ts";
import { always, dataOf, exportAll, send, type Target } from "../audit/export/exporting.ts";
import { cleanUp, createFolder, run, serve } from "../cli/command.ts";

setDefaultTimeout(120_000);
afterAll(cleanUp);

/**
 * Made by the program of commit adea2924, with a clock that began 70 days before: ten memories and searches, an erasure of one memory, removed
 * payloads and records, another signing key, and exports before and after. In `kept` is what an auditor of that time has.
 */
const folder = resolve(import.meta.dir, "ledger-version-1");
const { secret, memory }: Record<"secret" | "memory", string> = JSON.parse(
  readFileSync(join(folder, "contents.json"), "utf8"),
);
const kept = join(folder, "kept");

interface Evidence {
  readonly checkpoints: string[];
  readonly publicKey: string;
}

/** By both verifiers. */
async function verdictsOf(path: string, { checkpoints, publicKey }: Evidence): Promise<unknown[]> {
  const { finding } = await verifyPath(path, { checkpoints, publicKey, project: null });
  const words = checkpoints.flatMap((checkpoint) => ["--checkpoint", checkpoint]);
  const file = path.endsWith("data") ? join(path, "memledger.db") : path;
  return [
    finding.failure ?? finding.contradiction ?? finding.verdict,
    pythonVerdict(file, ...words, "--public-key", publicKey) ?? "intact",
  ];
}

const intact = ["intact", "intact"];

async function exportTo(path: string, target: Target, format: "csv" | "json"): Promise<string> {
  const { id, text } = await exportAll(target, { ...always, start_time: "2026-11-19T00:00:00Z", format });
  writeFileSync(path, text);
  const manifest = await send(target, "GET", `/v1/audit/logs/export/${id}/manifest`);
  writeFileSync(`${path}.manifest`, await manifest.text());
  return path;
}

test("a ledger of version 1 is migrated, goes on, and loses the parts of a search that have an erased text", async () => {
  const outside = createFolder();
  const dataDir = join(outside, "data");
  cpSync(folder, dataDir, { recursive: true });
  chmodSync(dataDir, 0o700);
  for (const name of ["memledger.db", "audit.key"]) chmodSync(join(dataDir, name), 0o600);
  const publicKey = join(kept, "newest.pub");
  const before = { checkpoints: [join(kept, "newest.notes")], publicKey };
  const oldest = { checkpoints: [join(kept, "first.json")], publicKey: join(kept, "first.pub") };
  expect(await verdictsOf(dataDir, before)).toEqual(intact);

  const server = await serve(dataDir, ["--rerank", "off"]);
  const target = { url: server.url, key: secret };
  const post = async (path: string, body: JsonObject) => dataOf(await send(target, "POST", path, { body }));
  const keep = async (name: string) => {
    const path = join(outside, name);
    writeFileSync(path, await (await send(target, "GET", "/v1/audit/checkpoint")).text());
    return path;
  };
  const redact = (id: string) => run(["audit", "redact", "--memory", id, "--yes", "--data-dir", dataDir]);
  const { id } = await post("/v1/memories", { content: "Locker 77 is for Zoe.", memory_type: "fact" });
  const found = await post("/v1/memories/search", { query: "Whose is locker 77?", top_k: 10 });
  expect(found.results).toHaveLength(10);
  const moved = { checkpoints: [await keep("moved.json")], publicKey };
  const whole = await exportTo(join(outside, "whole.json"), target, "json");

  expect((await redact(String(id))).exitCode).toBe(0);
  // Its search was recorded in version 1, before the move.
  expect((await redact(memory)).exitCode).toBe(0);
  const again = await post("/v1/memories/search", { query: "What is sent?", top_k: 3 });
  expect(again.results).toHaveLength(3);
  const after = {
    checkpoints: [...before.checkpoints, ...moved.checkpoints, await keep("checkpoint.json")],
    publicKey,
  };
  const files = [
    await exportTo(join(outside, "after.json"), target, "json"),
    await exportTo(join(outside, "after.csv"), target, "csv"),
  ];
  expect((await server.end("SIGTERM")).exitCode).toBe(0);

  expect(await verdictsOf(dataDir, after)).toEqual(intact);
  for (const name of ["with-erasure.json", "with-erasure.csv"])
    expect([name, await verdictsOf(join(kept, name), oldest)]).toEqual([name, intact]);
  for (const name of ["before-move.json", "before-move.csv"])
    expect([name, await verdictsOf(join(kept, name), before)]).toEqual([name, intact]);
  expect(await verdictsOf(whole, moved)).toEqual(intact);
  for (const file of files) expect([file, await verdictsOf(file, after)]).toEqual([file, intact]);

  const rows: JsonObject[] = JSON.parse(readFileSync(files[0] ?? "", "utf8"));
  const searches = rows.filter(({ action }) => action === "memory.search");
  const lost = searches.map(({ salt, erased_parts }) =>
    salt === null ? "all" : (erased_parts ?? "version 1"),
  );
  // Before the move, the one that had the memory loses everything. The one after it had both memories, and keeps its eight other results.
  expect(lost).toEqual(["all", "version 1", [expect.any(Number), expect.any(Number)], []]);
  expect(JSON.stringify(rows)).not.toContain("Locker 77");
});
