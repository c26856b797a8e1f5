// A change of the embedding model: refused with the line that helps, done by that line, resumed when interrupted.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { writeTinyModel } from "../embedding/tiny-model.ts";
import { call, cleanUp, createFact, createFolder, run, runJson, serve, spawn } from "./command.ts";

setDefaultTimeout(30_000);
afterAll(cleanUp);

const folder = createFolder();
const dataDir = join(folder, "data with a space");
const former = join(folder, "former");
const next = join(folder, "next");
let key: unknown;

beforeAll(async () => {
  writeTinyModel(former, { dimensions: 256 });
  writeTinyModel(next, { dimensions: 384 });
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
  expect(JSON.stringify(object)).toContain("Set --model to the directory of the former model");
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

test("reembed needs a stopped server and an existing database", async () => {
  const server = await serve(dataDir, ["--model", former]);
  const words = ["reembed", "--data-dir", dataDir, "--model", next];
  expect((await runJson(words)).exitCode).toBe(exitCodes.inUse);
  await server.end("SIGTERM");
  expect((await run(["reembed", "--data-dir", join(folder, "nowhere")])).exitCode).toBe(exitCodes.failed);
});

test("reembed makes the new model the database's own", async () => {
  const words = ["reembed", "--data-dir", dataDir, "--model", next];
  const done = await runJson(words);
  expect(done.object).toEqual({
    memories: 4,
    model: { id: "next", sha256: expect.stringMatching(/^[0-9a-f]{64}$/), dimensions: 384 },
  });
  expect((await runJson(words)).object).toEqual(done.object);

  const server = await serve(dataDir, ["--model", next]);
  const body = JSON.stringify({ query: "blue red", top_k: 1 });
  const found = await call(server.url, key, "/v1/memories/search", { method: "POST", body });
  expect(await found.text()).toContain('"content":"blue red"');
  await server.end("SIGTERM");
  expect((await run(["serve", "--data-dir", dataDir, "--model", former])).exitCode).toBe(
    exitCodes.otherModel,
  );
});

test("an interrupted run goes on where it was, and until then the former model is in force", async () => {
  const many = createFolder();
  const server = await serve(many, ["--model", former]);
  const contents = Array.from({ length: 640 }, (_, number) => `The number of this memory is ${number}.`);
  await Promise.all(contents.map((content) => createFact(server.url, server.ready.api_key, content)));
  await server.end("SIGTERM");

  const words = ["reembed", "--data-dir", many];
  const interrupted = spawn(words);
  const reader = interrupted.stderr.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toStartWith("64 of 640 memories");
  interrupted.kill("SIGKILL");
  await interrupted.exited;
  expect((await run(["serve", "--data-dir", many])).exitCode).toBe(exitCodes.otherModel);

  const resumed = await runJson(words);
  expect(resumed.stderr).not.toContain("64 of 640 memories");
  expect(resumed.stderr).toEndWith("640 of 640 memories\n");
  expect(resumed.object.memories).toBe(640);
});
