// A change of the embedding model by the command: refused with the line that helps, done by that line with a server and without one,
// continued when it is interrupted.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { type Database, openDatabase } from "../../src/platform/native/sqlite.ts";
import { runtime } from "../calls/storage/seam.ts";
import { writeProjectedModel } from "../models/embedding/projected-model.ts";
import { writeTinyModel } from "../models/embedding/tiny-model.ts";
import { call, cleanUp, createFact, createFolder, run, runJson, serve, spawn } from "./command.ts";

afterAll(cleanUp);

const folder = createFolder();
const dataDir = join(folder, "data with a space");
const former = join(folder, "former");
const next = join(folder, "next");
let key: unknown;

beforeAll(async () => {
  writeTinyModel(former, { dimensions: 256 });
  writeTinyModel(next, { dimensions: 384 });
  // As in the cache of a package manager.
  chmodSync(join(next, "onnx/model.onnx"), 0o444);
  const server = await serve(dataDir, ["--model", former]);
  key = server.ready.api_key;
  for (const content of ["red", "green", "blue red", "green blue"]) {
    expect((await createFact(server.url, key, content)).status).toBe(201);
  }
  await server.end("SIGTERM");
});

test("another model is refused with the line to copy", async () => {
  const { exitCode, object, stderr } = await runJson(["serve", "--data-dir", dataDir, "--model", next]);
  expect(exitCode).toBe(exitCodes.otherModel);
  expect(JSON.stringify(object)).toContain("Set --model to the directory of the previous model");
  expect(stderr).toContain(`memledger reembed --data-dir '${dataDir}' --model ${next}\n`);
  const doctor = await run(["doctor", "--data-dir", dataDir, "--model", next]);
  expect(doctor.stdout).toMatch(
    /^model +FAILED .*contains embeddings of the model former, but next is configured/m,
  );
});

test("keys can be made whatever the model", async () => {
  const outcome = await runJson(["key", "list", "--project", "default", "--data-dir", dataDir]);
  expect(outcome.exitCode).toBe(0);
});

test("reembed needs an existing database", async () => {
  expect((await run(["reembed", "--data-dir", join(folder, "nowhere")])).exitCode).toBe(exitCodes.failed);
});

test("reembed makes the new model the database's own, and keeps it in the data directory", async () => {
  const words = ["reembed", "--data-dir", dataDir, "--model", next];
  const done = await runJson(words);
  expect(done.object).toEqual({
    memories: 4,
    model: { id: "next", sha256: expect.stringMatching(/^[0-9a-f]{64}$/), dimensions: 384 },
  });
  expect((await runJson(words)).object).toEqual(done.object);
  const again = "No embedding was changed: 4 memories have embeddings of next (384 dimensions) already.\n";
  expect((await run(words)).stdout).toBe(again);
  const graph = join(dataDir, "models", String(Object(done.object.model).sha256), "onnx/model.onnx");
  expect(statSync(graph).mode & 0o777).toBe(0o600);
  writeFileSync(graph, "changed");
  const refused = await run(["serve", "--data-dir", dataDir]);
  expect(refused.exitCode).toBe(exitCodes.failed);
  expect(refused.stderr).toMatch(
    /was changed or cannot be read\. To copy it again, run memledger reembed --model/,
  );
  expect((await runJson(words)).object).toEqual(done.object);
  rmSync(next, { recursive: true });

  // No action is needed: neither the setting of before, nor the directory of the model is needed.
  for (const setting of [[], ["--model", former], ["--model", next]]) {
    const server = await serve(dataDir, setting);
    expect(await search(server.url, key, "blue red")).toBe("blue red");
    const { stderr } = await server.end("SIGTERM");
    expect(stderr.includes("the setting model names a previous model")).toBe(setting.length > 0);
  }
  const doctor = await run(["doctor", "--data-dir", dataDir]);
  expect(doctor.stdout).toMatch(/^model +ok +next \(sha256 [0-9a-f]{12}\), 384 dimensions/m);
  const third = writeTinyModel(join(folder, "third"), { dimensions: 320 });
  expect((await run(["serve", "--data-dir", dataDir, "--model", third])).exitCode).toBe(exitCodes.otherModel);
});

test("reembed works beside a running server, there and back", async () => {
  const server = await serve(dataDir);
  const words = ["reembed", "--data-dir", dataDir, "--model"];
  expect((await runJson([...words, former])).object.model).toMatchObject({ id: "former" });
  expect(await search(server.url, key, "green blue")).toBe("green blue");
  expect((await createFact(server.url, key, "red red green")).status).toBe(201);
  // A model of the operator that is in the same folder.
  writeTinyModel(join(dataDir, "models", "own"), { dimensions: 256 });
  const built = await runJson(["reembed", "--data-dir", dataDir]);
  expect(built.object).toMatchObject({ memories: 5, model: { id: "memledger-embed-v3" } });
  expect(await search(server.url, key, "red red green")).toBe("red red green");
  expect((await run(["reembed", "--data-dir", dataDir, "--cancel"])).stderr).toContain(
    "No change of the embedding model is in progress",
  );
  await server.end("SIGTERM");
  expect(readdirSync(join(dataDir, "models"))).toEqual(["own"]);
  rmSync(join(dataDir, "models", "own"), { recursive: true });
});

test("a change that is interrupted at any time goes on: by the server, or by the command", async () => {
  const many = createFolder();
  const projected = writeProjectedModel(join(folder, "projected"));
  let server = await serve(many);
  const memories = Array.from({ length: 400 }, (_, number) => ({
    content: `The number of this memory is ${number}.`,
    memory_type: "fact",
  }));
  const body = JSON.stringify({ memories });
  const { api_key: secret } = server.ready;
  expect((await call(server.url, secret, "/v1/memories/batch", { method: "POST", body })).status).toBe(200);
  await server.end("SIGTERM");

  const words = ["reembed", "--data-dir", many, "--model", projected];
  const interrupted = spawn(words);
  const reader = interrupted.stderr.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toMatch(/^\d+ of 400 memories/);
  interrupted.kill("SIGKILL");
  await interrupted.exited;
  rmSync(projected, { recursive: true });
  const doneFirst = changeOf(many)?.done ?? 0;
  expect(doneFirst).toBeGreaterThan(0);

  const other = writeTinyModel(join(folder, "other"), { dimensions: 256 });
  const refused = await run(["reembed", "--data-dir", many, "--model", other]);
  expect(refused.exitCode).toBe(exitCodes.failed);
  expect(refused.stderr).toContain("A change to the model projected");
  expect(readdirSync(join(many, "models"))).toHaveLength(1);

  server = await serve(many);
  while ((changeOf(many)?.done ?? 400) <= doneFirst) await Bun.sleep(20);
  expect(await search(server.url, secret, "the number 17")).toContain("The number of this memory");
  await server.end("SIGKILL");
  expect(changeOf(many)?.done).toBeGreaterThan(doneFirst);

  server = await serve(many);
  while (changeOf(many) !== null) await Bun.sleep(20);
  expect(await search(server.url, secret, "The number of this memory is 17.")).toBe(
    "The number of this memory is 17.",
  );
  await server.end("SIGTERM");
  expect(vectorsOf(many)).toEqual({ memories: 400, bytes: 400 * 256 * 4, id: "projected" });

  const back = spawn(["reembed", "--data-dir", many]);
  while (changeOf(many) === null) await Bun.sleep(5);
  back.kill("SIGKILL");
  await back.exited;
  const cancelled = await runJson(["reembed", "--cancel", "--data-dir", many]);
  expect(cancelled.object).toMatchObject({
    model: { id: "projected" },
    cancelled: { id: "memledger-embed-v3" },
  });
  expect(changeOf(many)).toBeNull();
});

test("a server that is killed when the switch is committed starts with the new model", async () => {
  const place = createFolder();
  const second = writeTinyModel(join(folder, "second"), { dimensions: 320 });
  let server = await serve(place, ["--model", former]);
  const { api_key: secret } = server.ready;
  for (const content of ["red", "green blue"]) await createFact(server.url, secret, content);
  const command = spawn(["reembed", "--data-dir", place, "--model", second]);
  // Another process sees the commit before the server has answered it, or soon after: the server may not have replaced its embedder.
  read(place, (database) => {
    const bound = database.prepare("SELECT value ->> 'id' FROM installation WHERE name = 'embedding_model'");
    while (bound.pluck().get() !== "second") Bun.sleepSync(1);
    process.kill(server.pid, "SIGKILL");
  });
  await server.end("SIGKILL");
  await command.exited;
  expect(vectorsOf(place)).toEqual({ memories: 2, bytes: 2 * 320 * 4, id: "second" });

  // The setting of before still names the previous model.
  server = await serve(place, ["--model", former]);
  expect(await search(server.url, secret, "green blue")).toBe("green blue");
  expect((await createFact(server.url, secret, "blue red")).status).toBe(201);
  const unused = "SELECT COUNT(*) FROM memory_vector_next";
  while (read(place, (database) => database.prepare(unused).pluck().get()) !== 0) await Bun.sleep(5);
  await server.end("SIGTERM");
  expect(vectorsOf(place)).toEqual({ memories: 3, bytes: 3 * 320 * 4, id: "second" });
});

describe("a model that cannot be used is refused, and nothing is changed", () => {
  const graph = "onnx/model.onnx";
  test.each<[what: string, make: (path: string) => void, message: RegExp]>([
    ["missing", () => {}, /The model directory .* does not exist/],
    ["a file", (path) => writeFileSync(path, "model"), /The model directory .* is a file/],
    [
      "without a file",
      (path) => writeTinyModel(path, { files: { "tokenizer.json": null } }),
      /has no tokenizer\.json/,
    ],
    [
      "with another checksum",
      (path) =>
        writeTinyModel(path, {
          files: { "manifest.json": { files: { [graph]: { sha256: "0".repeat(64) } } } },
        }),
      /does not match its hash in manifest\.json/,
    ],
    [
      "of other dimensions than it declares",
      (path) =>
        writeTinyModel(path, {
          dimensions: 256,
          files: { "config.json": { model_type: "bert", hidden_size: 320, max_position_embeddings: 16 } },
        }),
      /has 256 dimensions, but its config\.json says 320/,
    ],
    [
      "without a graph",
      (path) => writeTinyModel(path, { files: { [graph]: null } }),
      /contains no file model/,
    ],
    [
      "no model",
      (path) => writeTinyModel(path, { files: { [graph]: "no model" } }),
      /is not an ONNX model that can be loaded/,
    ],
  ])("%s", async (what, make, message) => {
    const path = join(folder, `unusable ${what}`);
    make(path);
    const before = readFileSync(join(dataDir, "memledger.db"));
    const { exitCode, stderr } = await run(["reembed", "--data-dir", dataDir, "--model", path]);
    expect(exitCode).toBe(exitCodes.failed);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(readFileSync(join(dataDir, "memledger.db")).equals(before)).toBe(true);
    expect(readdirSync(join(dataDir, "models"))).toEqual([]);
  });
});

test("a server changes a data directory of an earlier built-in model to the newest one, unless the setting names it", async () => {
  const began = "a change to the newer built-in embedding model began";
  const place = createFolder();
  const pinned = ["--model", "memledger-embed-v1", "--log-level", "info"];
  let server = await serve(place, pinned);
  const { api_key: secret } = server.ready;
  for (const content of ["Die Kundin wohnt in Wien.", "Der Termin wurde auf Dienstag verschoben."])
    expect((await createFact(server.url, secret, content)).status).toBe(201);
  await server.end("SIGTERM");
  server = await serve(place, pinned);
  expect(await search(server.url, secret, "Wien")).toBe("Die Kundin wohnt in Wien.");
  expect((await server.end("SIGTERM")).stderr).not.toContain(began);
  expect(vectorsOf(place)).toMatchObject({ id: "memledger-embed-v1" });
  expect(changeOf(place)).toBeNull();

  server = await serve(place, ["--log-level", "info"]);
  // Waits for the end of the change.
  const changed = await runJson(["reembed", "--data-dir", place]);
  expect(changed.object).toMatchObject({ memories: 2, model: { id: "memledger-embed-v3" } });
  expect(await search(server.url, secret, "Which day was the appointment moved to?")).toBe(
    "Der Termin wurde auf Dienstag verschoben.",
  );
  expect(await search(server.url, secret, "Where does the client live?")).toBe("Die Kundin wohnt in Wien.");
  expect((await server.end("SIGTERM")).stderr).toContain(began);
  expect(vectorsOf(place)).toEqual({ memories: 2, bytes: 2 * 384 * 4, id: "memledger-embed-v3" });
  // All are built in, so none is copied.
  expect(listKept(place)).toEqual([]);
  const changes = read(place, (database) =>
    database.prepare("SELECT COUNT(*) FROM audit_entry WHERE action = 'model.change'").pluck().get(),
  );
  expect(changes).toBe(1);
  server = await serve(place, ["--log-level", "info"]);
  expect((await server.end("SIGTERM")).stderr).not.toContain(began);
});

async function search(url: string, secret: unknown, query: string): Promise<unknown> {
  const body = JSON.stringify({ query, top_k: 1 });
  const response = await call(url, secret, "/v1/memories/search", { method: "POST", body });
  const { data } = (await response.json()) as { data: { results: { memory: { content: string } }[] } };
  return data.results[0]?.memory.content;
}

function read<Value>(directory: string, work: (database: Database) => Value): Value {
  const database = openDatabase(join(directory, "memledger.db"), runtime, { readonly: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function changeOf(directory: string): { readonly done: number } | null {
  return read(directory, (database) => {
    const row = database.prepare("SELECT value FROM installation WHERE name = 'next_embedding_model'");
    const text = row.pluck().get();
    return typeof text === "string" ? JSON.parse(text) : null;
  });
}

function listKept(directory: string): readonly string[] {
  const folder = join(directory, "models");
  return existsSync(folder) ? readdirSync(folder) : [];
}

function vectorsOf(directory: string): unknown {
  return read(directory, (database) =>
    database
      .prepare(
        `SELECT COUNT(*) AS memories, SUM(length(v.embedding)) AS bytes,
           (SELECT value ->> 'id' FROM installation WHERE name = 'embedding_model') AS id
         FROM memory m JOIN memory_vector v ON v.memory = m.serial`,
      )
      .get(),
  );
}
