// Tests what a model directory may look like, and what its owner is told when it cannot be used.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readModelConfig } from "../../../src/models/embedding/model.ts";
import { readModelDirectory } from "../../../src/models/embedding/model-directory.ts";
import { type TinyModel, writeTinyModel } from "./tiny-model.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-model-"));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
const write = (tiny: TinyModel = {}) => writeTinyModel(join(folder, `tiny-${++count}`), tiny);
const read = (tiny: TinyModel = {}) => readModelDirectory(write(tiny));
const config = { model_type: "bert", hidden_size: 256, max_position_embeddings: 16 };

describe("a directory that can be used", () => {
  test("is named after itself, or by its manifest", () => {
    const directory = write();
    expect(readModelDirectory(directory).id).toBe(`tiny-${count}`);
    expect(read({ files: { "manifest.json": { name: "colours-v1", files: {} } } }).id).toBe("colours-v1");
  });

  test("has a hash that depends on every file that counts, and on nothing else", () => {
    const plain = read().sha256;
    expect(read({ files: { "README.md": "a card" } }).sha256).toBe(plain);
    expect(read({ files: { "1_Pooling/config.json": { pooling_mode_cls_token: true } } }).sha256).not.toBe(
      plain,
    );
    expect(read({ files: { "config.json": { ...config, vocab_size: 10 } } }).sha256).not.toBe(plain);
    expect(read({ dimensions: 384 }).sha256).not.toBe(plain);
  });

  test("prefers the quantised graph", () => {
    const graphs = { "onnx/model_fp16.onnx": "a", "onnx/model_quantized.onnx": "b" };
    expect(Object.keys(read({ files: graphs }).files)).toContain("onnx/model_quantized.onnx");
    const only = { "onnx/model.onnx": null, "onnx/model_O2.onnx": "a" };
    expect(Object.keys(read({ files: only }).files)).toContain("onnx/model_O2.onnx");
  });
});

test.each<[string, TinyModel, number]>([
  ["positions", {}, 16],
  [
    "positions after the padding's, as RoBERTa counts",
    { files: { "config.json": { ...config, model_type: "roberta", pad_token_id: 1 } } },
    14,
  ],
  ["the tokenizer", { files: { "tokenizer_config.json": { model_max_length: 12 } } }, 12],
  ["the sentence transformer", { files: { "sentence_bert_config.json": { max_seq_length: 10 } } }, 10],
  ["nobody", { files: { "config.json": { hidden_size: 256 } } }, 512],
])("the token limit comes from %s", (_, tiny, expected) => {
  expect(readModelConfig(read(tiny)).maxTokens).toBe(expected);
});

test("prefixes come from the sentence transformer's prompts", () => {
  const prompts = { query: "query: ", document: "text: " };
  const { prefixes } = readModelConfig(read({ files: { "config_sentence_transformers.json": { prompts } } }));
  expect(prefixes).toEqual({ query: "query: ", passage: "text: " });
  expect(readModelConfig(read()).prefixes).toEqual({ query: "", passage: "" });
});

describe("a directory that cannot be used is refused and says what to do", () => {
  test("no directory", () => {
    expect(() => readModelDirectory(join(folder, "nowhere"))).toThrow(
      /model directory .*nowhere does not exist.*--model/,
    );
  });

  test.each<[string, TinyModel, RegExp]>([
    ["no config", { files: { "config.json": null } }, /has no config\.json\. Export/],
    ["no tokenizer", { files: { "tokenizer.json": null } }, /has no tokenizer\.json\. Export/],
    ["no graph", { files: { "onnx/model.onnx": null, "onnx/readme": "" } }, /no file model\*\.onnx\. Export/],
    ["no graph folder", { files: { "onnx/model.onnx": null } }, /no file model\*\.onnx\. Export/],
    [
      "weights apart",
      { files: { "onnx/model.onnx_data": "w" } },
      /model\.onnx_data.*Export the model as one file/,
    ],
    [
      "manifest: changed file",
      { files: { "manifest.json": { files: { "config.json": { sha256: "0".repeat(64) } } } } },
      /config\.json does not match its hash.* Copy/,
    ],
    [
      "manifest: lost file",
      { files: { "manifest.json": { files: { "vocab.txt": { sha256: "0".repeat(64) } } } } },
      /vocab\.txt does not match its hash/,
    ],
    ["manifest: no object", { files: { "manifest.json": "[]" } }, /manifest\.json is not a JSON object/],
    ["manifest: no files", { files: { "manifest.json": {} } }, /manifest\.json must look like/],
  ])("%s", (_, tiny, message) => {
    expect(() => read(tiny)).toThrow(message);
  });

  test.each<[string, TinyModel, RegExp]>([
    ["broken config", { files: { "config.json": "{" } }, /config\.json is not valid JSON\. Copy/],
    [
      "too few dimensions",
      { files: { "config.json": { hidden_size: 128 } } },
      /128 dimensions .*Choose .*256 to 1024/,
    ],
    ["too many dimensions", { files: { "config.json": { hidden_size: 4096 } } }, /4096 dimensions .*Choose/],
    ["unknown dimensions", { files: { "config.json": {} } }, /unknown dimensions .*Choose/],
    [
      "strange pooling",
      { files: { "1_Pooling/config.json": { pooling_mode_lasttoken: true } } },
      /pooling pooling_mode_lasttoken\. Choose/,
    ],
    [
      "a dense layer",
      { files: { "modules.json": [{ type: "sentence_transformers.models.Dense" }] } },
      /has a Dense layer, .*Choose/,
    ],
  ])("%s", (_, tiny, message) => {
    const source = read(tiny);
    expect(() => readModelConfig(source)).toThrow(message);
  });
});
