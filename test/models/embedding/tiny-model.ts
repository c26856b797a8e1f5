// Writes tiny model directories whose vectors can be worked out by hand. Must never stand in for the real model where the
// meaning of a text matters.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bytes, text, varint } from "../../../src/platform/native/protobuf.ts";

export const tinyWords = [
  "[PAD]",
  "[UNK]",
  "[CLS]",
  "[SEP]",
  "red",
  "green",
  "blue",
  "zero",
  "query:",
  "broken",
];

export type TinyModel = Readonly<{
  dimensions?: number;
  /** Files to add or replace; null leaves one out. */
  files?: Readonly<Record<string, unknown>>;
  inputs?: readonly string[];
  output?: string;
}>;

/**
 * Each word is a row of a table: word n has 1 at position n and 0 elsewhere, "zero" and the special tokens have no 1 at all,
 * "broken" is NaN. The graph only looks the rows up: input_ids [texts, tokens] -> [texts, tokens, dimensions].
 */
export function writeTinyModel(directory: string, tiny: TinyModel = {}): string {
  const { dimensions = 256, inputs = ["input_ids", "attention_mask"], output = "last_hidden_state" } = tiny;
  const files: Record<string, unknown> = {
    "config.json": { model_type: "bert", hidden_size: dimensions, max_position_embeddings: 16 },
    "tokenizer.json": tokenizer(),
    "tokenizer_config.json": { tokenizer_class: "PreTrainedTokenizerFast", model_max_length: 1e30 },
    "onnx/model.onnx": graph(dimensions, inputs, output),
    ...tiny.files,
  };
  for (const [name, content] of Object.entries(files)) {
    if (content === null) continue;
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      content instanceof Uint8Array || typeof content === "string" ? content : JSON.stringify(content),
    );
  }
  return directory;
}

function tokenizer(): unknown {
  const special = (name: string) => ({ SpecialToken: { id: name, type_id: 0 } });
  return {
    version: "1.0",
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: "WhitespaceSplit" },
    post_processor: {
      type: "TemplateProcessing",
      single: [special("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, special("[SEP]")],
      pair: [],
      special_tokens: {
        "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
        "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
      },
    },
    decoder: null,
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(tinyWords.map((word, id) => [word, id])),
    },
  };
}

function graph(dimensions: number, inputs: readonly string[], output: string): Uint8Array {
  const gather = [...text(1, "table"), ...text(1, "input_ids"), ...text(2, output), ...text(4, "Gather")];
  const table = new Float32Array(tinyWords.length * dimensions);
  for (const [id, word] of tinyWords.entries()) {
    if (word === "broken") table[id * dimensions] = Number.NaN;
    else if (id > 1 && word !== "zero" && !word.startsWith("[")) table[id * dimensions + id] = 1;
  }
  const initializer = [
    ...varint(1, tinyWords.length),
    ...varint(1, dimensions),
    ...varint(2, 1),
    ...text(8, "table"),
    ...bytes(9, new Uint8Array(table.buffer)),
  ];
  const value = (name: string, type: number, ...shape: readonly (string | number)[]) => {
    const sizes = shape.flatMap((size) =>
      bytes(1, typeof size === "number" ? varint(1, size) : text(2, size)),
    );
    return [...text(1, name), ...bytes(2, bytes(1, [...varint(1, type), ...bytes(2, sizes)]))];
  };
  const content = [
    ...bytes(1, gather),
    ...text(2, "tiny"),
    ...bytes(5, initializer),
    ...inputs.flatMap((name) => bytes(11, value(name, 7, "texts", "tokens"))),
    ...bytes(12, value(output, 1, "texts", "tokens", dimensions)),
  ];
  return Uint8Array.from([...varint(1, 8), ...bytes(7, content), ...bytes(8, varint(2, 13))]);
}
