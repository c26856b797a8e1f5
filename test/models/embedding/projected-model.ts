// Makes a second real model of other dimensions from the built-in one: the same network, and one matrix product behind it. Texts with the
// same meaning stay similar, because a random projection nearly keeps angles.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bytes, text, varint } from "../../../src/platform/native/protobuf.ts";

const builtIn = join(import.meta.dir, "../../../models/memledger-embed-v3");

/** Copies the built-in model and changes its dimensions. @returns the directory */
export function writeProjectedModel(directory: string, dimensions = 256): string {
  cpSync(builtIn, directory, { recursive: true });
  rmSync(join(directory, "manifest.json"));
  const configPath = join(directory, "config.json");
  const config = JSON.parse(readFileSync(configPath, "utf8"));
  const graphPath = join(directory, "onnx/model_quantized.onnx");
  const former = readFileSync(graphPath);
  // Two serialised messages that follow each other are one message, whose repeated fields are those of both.
  const added = Uint8Array.from(bytes(7, projection(config.hidden_size, dimensions)));
  mkdirSync(join(directory, "onnx"), { recursive: true });
  writeFileSync(graphPath, Buffer.concat([former, added]));
  writeFileSync(configPath, JSON.stringify({ ...config, hidden_size: dimensions }));
  return directory;
}

/** Field 20 of an attribute, its type: an integer. */
const attributeOfInteger = [0xa0, 0x01, 2];

/** sentence_embedding [texts, to] = mean of last_hidden_state [texts, tokens, from] x projection [from, to]. */
function projection(from: number, to: number): number[] {
  const node = (type: string, inputs: readonly string[], output: string, ...rest: number[]) =>
    bytes(1, [...inputs.flatMap((name) => text(1, name)), ...text(2, output), ...text(4, type), ...rest]);
  const keepNoDimension = bytes(5, [...text(1, "keepdims"), ...varint(3, 0), ...attributeOfInteger]);
  const tensor = (name: string, type: number, shape: readonly number[], data: Uint8Array) =>
    bytes(5, [
      ...shape.flatMap((size) => varint(1, size)),
      ...varint(2, type),
      ...text(8, name),
      ...bytes(9, data),
    ]);
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647 - 0.5;
  };
  const weights = Float32Array.from({ length: from * to }, random);
  const axes = new BigInt64Array([1n]);
  const shape = [bytes(1, text(2, "texts")), bytes(1, varint(1, to))].flat();
  return [
    ...node("ReduceMean", ["last_hidden_state", "projection_axes"], "projection_mean", ...keepNoDimension),
    ...node("MatMul", ["projection_mean", "projection_weights"], "sentence_embedding"),
    ...tensor("projection_axes", 7, [1], new Uint8Array(axes.buffer)),
    ...tensor("projection_weights", 1, [from, to], new Uint8Array(weights.buffer)),
    ...bytes(12, [
      ...text(1, "sentence_embedding"),
      ...bytes(2, bytes(1, [...varint(1, 1), ...bytes(2, shape)])),
    ]),
  ];
}
