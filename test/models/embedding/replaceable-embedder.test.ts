// Which texts wait while the embedding model is changed, with a tiny model.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedder } from "../../../src/models/embedding/embedder.ts";
import { readModelDirectory } from "../../../src/models/embedding/model-directory.ts";
import { createReplaceableEmbedder } from "../../../src/models/embedding/replaceable-embedder.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { serverItself } from "../../../src/platform/scheduling/fair-queue.ts";
import { writeTinyModel } from "./tiny-model.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-replaceable-"));
const model = readModelDirectory(writeTinyModel(join(folder, "model")));
const runtime = prepareRuntime(join(folder, "runtime"));
const embedder = createReplaceableEmbedder(await startEmbedder({ runtime, model }), Bun.sleep);
afterAll(async () => {
  await embedder.close();
  rmSync(folder, { recursive: true });
});

test("queries go on when a switch was refused, and contents when it is finished", async () => {
  const finished: string[] = [];
  const embed = async (role: "query" | "passage") => {
    await embedder.embed("red", role, serverItself);
    finished.push(role);
  };
  embedder.pause("all");
  const passage = embed("passage");
  const query = embed("query");
  embedder.pause("passages");
  await query;
  expect(finished).toEqual(["query"]);
  embedder.resume();
  await passage;
  expect(finished).toEqual(["query", "passage"]);
});
