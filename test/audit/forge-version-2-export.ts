// Forges exports of version 2 of the record format, by whoever holds the signing key. Must never touch an honest file.

import { createHash } from "node:crypto";
import type { Check } from "../../src/audit/verify/verdict.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { idOf } from "./version-2.ts";
import { alice } from "./version-2-database.ts";
import type { Export2Plan } from "./version-2-export.ts";

export interface ExportCase2 {
  readonly name: string;
  readonly plan: Partial<Export2Plan>;
  /** A check that fails, or a verdict. */
  readonly expected: Check | "intact" | "unattested" | "contradicted" | "unusable";
  readonly seq?: number | null;
}

const at = (seq: number, members: JsonObject | ((row: JsonObject) => JsonObject)) => ({
  forge: (rows: JsonObject[]) =>
    rows.map((row) =>
      row.seq === seq ? { ...row, ...(typeof members === "function" ? members(row) : members) } : row,
    ),
});
const manifest = (members: JsonObject) => ({ forgeManifest: (one: JsonObject) => ({ ...one, ...members }) });
const some = { without: [7, 9, 30] };
const hash = Buffer.alloc(32).toString("base64");
const edited = (from: string, to: string) => (row: JsonObject) => ({
  payload: String(row.payload).replace(from, to),
});

/** The last part of record 9, its input, without its text. */
function withoutInput(row: JsonObject): JsonObject {
  const [salt, text] = [String(row.salt), String(row.payload)];
  const input = text.trimEnd().split("\t").at(-1) ?? "";
  const textHash = createHash("sha256")
    .update("memledger/text/v2\0")
    .update(Buffer.from(salt.slice(-32), "hex"));
  return {
    input_content: null,
    erased_parts: [2],
    payload: text.replace(`\t${input}\n`, "\n"),
    salt: `${salt.slice(0, -32)}${textHash.update(input).digest("hex")}`,
  };
}

export const exportCases: readonly ExportCase2[] = [
  { name: "all", plan: {}, expected: "intact" },
  { name: "all, from the first record", plan: { first: 1 }, expected: "intact" },
  { name: "some", plan: some, expected: "unattested" },
  { name: "some, with a later checkpoint", plan: { ...some, size: 100 }, expected: "intact" },
  { name: "parts of one", plan: { parts: [alice] }, expected: "intact" },
  { name: "parts about nobody", plan: { parts: [""] }, expected: "intact" },
  { name: "text of a part", plan: at(5, edited("null", "true")), expected: "payload", seq: 5 },
  {
    name: "withheld line in a file of all parts",
    plan: at(9, (row) => ({ payload: String(row.payload).replace(/\n[^\n]+\n$/, "\n{}\n") })),
    expected: "payload",
    seq: 9,
  },
  {
    name: "part hash of a withheld part",
    plan: { parts: [""], ...at(9, (row) => ({ salt: String(row.salt).replace(/..$/, "00") })) },
    expected: "payload",
    seq: 9,
  },
  {
    name: "part 0 withheld",
    plan: { parts: [alice], ...at(9, (row) => ({ payload: String(row.payload).replace(/^[^\n]*/, "{}") })) },
    expected: "payload",
    seq: 9,
  },
  { name: "erased_parts", plan: at(8, { erased_parts: [1] }), expected: "columns", seq: 8 },
  { name: "erased_parts of none", plan: at(9, { erased_parts: null }), expected: "columns", seq: 9 },
  { name: "address of the sender", plan: at(6, { ip_address: "192.0.2.8" }), expected: "columns", seq: 6 },
  { name: "body", plan: at(6, { request_body: null }), expected: "columns", seq: 6 },
  { name: "proof", plan: { ...some, ...at(8, { proof: [hash] }) }, expected: "tree", seq: 8 },
  { name: "proof that is missing", plan: { ...some, ...at(8, { proof: null }) }, expected: "tree", seq: 8 },
  {
    name: "proof of another record",
    plan: { ...some, forge: (rows) => rows.map((row) => ({ ...row, proof: rows[0]?.proof ?? null })) },
    expected: "tree",
    seq: 6,
  },
  {
    name: "records left out of all",
    plan: { forge: (rows) => rows.toSpliced(2, 1) },
    expected: "seq",
    seq: 7,
  },
  {
    name: "records in another order in some",
    plan: { ...some, forge: (rows) => rows.with(1, rows[2] ?? {}).with(2, rows[1] ?? {}) },
    expected: "seq",
    seq: 6,
  },
  {
    name: "the last record left out of some",
    plan: { ...some, forge: (rows) => rows.slice(0, -1) },
    expected: "seq",
    seq: 60,
  },
  { name: "erased part without an account", plan: at(9, withoutInput), expected: "intact" },
  {
    name: "erased_parts of version 1",
    plan: { first: 4, ...at(4, { erased_parts: [] }) },
    expected: "columns",
    seq: 4,
  },
  {
    name: "first_prev that is not in the statement",
    plan: { first: 1, ...manifest({ first_prev: "0".repeat(64) }) },
    expected: "manifest",
    seq: null,
  },
  {
    name: "statement that contradicts itself",
    plan: {
      forgeManifest: (one) => ({
        ...one,
        tree: String(one.tree).replace(/"hash":"[0-9a-f]+"/, `"hash":"${"0".repeat(64)}"`),
      }),
    },
    expected: "manifest",
    seq: null,
  },
  { name: "before", plan: manifest({ before: [hash, hash] }), expected: "contradicted" },
  { name: "before of another number", plan: manifest({ before: [hash] }), expected: "manifest", seq: null },
  {
    name: "before that is not base64",
    plan: manifest({ before: ["!", hash] }),
    expected: "manifest",
    seq: null,
  },
  {
    name: "before of the statement alone",
    plan: { first: 1, ...manifest({ before: [hash] }) },
    expected: "manifest",
    seq: null,
  },
  {
    name: "before of some",
    plan: { ...some, ...manifest({ before: [hash, hash] }) },
    expected: "manifest",
    seq: null,
  },
  { name: "tree", plan: manifest({ tree: "{}" }), expected: "manifest", seq: null },
  {
    name: "tree with another first record",
    plan: { forgeManifest: (one) => ({ ...one, tree: String(one.tree).replace('"first":5', '"first":6') }) },
    expected: "form",
    seq: 5,
  },
  { name: "records", plan: manifest({ records: "none" }), expected: "manifest", seq: null },
  { name: "filter of all", plan: manifest({ filter: {} }), expected: "manifest", seq: null },
  {
    name: "no filter of some",
    plan: { ...some, ...manifest({ filter: null }) },
    expected: "manifest",
    seq: null,
  },
  { name: "parts", plan: manifest({ parts: ["alice"] }), expected: "manifest", seq: null },
  {
    name: "member missing",
    plan: { forgeManifest: ({ parts: _, ...one }) => one },
    expected: "manifest",
    seq: null,
  },
  { name: "unknown member", plan: manifest({ more: 1 }), expected: "manifest", seq: null },
  {
    name: "unknown member of a later release",
    plan: manifest({ more: 1, since: "0.9.0" }),
    expected: "unusable",
  },
  {
    name: "later release, but something else is wrong",
    plan: { ...manifest({ more: 1, since: "0.9.0" }), ...at(6, { request_body: null }) },
    expected: "columns",
    seq: 6,
  },
  {
    name: "checkpoint of another chain",
    plan: { forgeManifest: (one) => ({ ...one, chain: idOf("another") }) },
    expected: "manifest",
    seq: null,
  },
];
