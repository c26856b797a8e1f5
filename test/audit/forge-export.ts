// Forges exports. Some lies are told after the manifest was signed, so that the manifest exposes them; others by whoever holds the
// signing key, so that only the records themselves and checkpoints kept elsewhere do.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import canonicalize from "canonicalize";
import { entryHash } from "../../src/audit/chain.ts";
import { checkpointText } from "../../src/audit/checkpoint.ts";
import { payloadHash } from "../../src/audit/parts/payload.ts";
import { createSigner, createSigningKey } from "../../src/audit/signed-note.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { type ExportPlan, writeExport } from "./exported.ts";
import type { Base, Specimen } from "./forge.ts";

type Expected = Pick<Specimen, "verdict"> & Partial<Pick<Specimen, "seq" | "check">>;

interface Case extends Pick<ExportPlan, "forge" | "forgeText" | "forgeManifest"> {
  readonly name: string;
  readonly expected: Expected;
  readonly plan?: Partial<ExportPlan>;
  /** Work on the text of the finished file, and on that of its manifest. */
  readonly edit?: (text: string) => string;
  readonly editManifest?: (text: string, base: Base) => string;
  readonly removeManifest?: boolean;
  /** Default: true. */
  readonly outside?: boolean;
  /** Default: both. */
  readonly only?: "json" | "csv";
}

const [first, last] = [11, 44];
const intact: Expected = { verdict: "intact" };
const broken = (check: NonNullable<Specimen["check"]>, seq: number | null): Expected => ({
  verdict: "broken",
  check,
  seq,
});

/** A change of the row of one record. */
const at = (seq: number, change: (row: JsonObject) => JsonObject) => (rows: JsonObject[]) =>
  rows.map((row, index) => (index === seq - first ? change(row) : row));
const set = (seq: number, members: JsonObject) => at(seq, (row) => ({ ...row, ...members }));

/** The manifest of the signer who did it. */
const fitting: NonNullable<ExportPlan["forgeManifest"]> = (manifest, rows, { signer }) => {
  const hash = String(rows.at(-1)?.hash);
  const text = checkpointText({ chain: String(manifest.chain), size: last, hash, at: 0 });
  return { ...manifest, last_hash: hash, checkpoint: signer.sign(text) };
};

/** Names one record less than the file holds. */
const withoutLast: NonNullable<ExportPlan["forgeManifest"]> = (manifest, rows, { chains }) => {
  const checkpoint = chains[1]?.checkpoint(last) ?? null;
  return {
    ...manifest,
    last_seq: last,
    rows: rows.length - 1,
    last_hash: String(rows.at(-2)?.hash),
    checkpoint,
  };
};

const honest: readonly Case[] = [
  { name: "honest", expected: intact },
  { name: "honest-from-start", plan: { first: 1 }, expected: intact },
  { name: "honest-alone", expected: { verdict: "unattested" }, outside: false },
  { name: "honest-early", plan: { last: 35 }, expected: { verdict: "unattested" } },
  { name: "honest-without-hashes", plan: { verifiable: false }, expected: { verdict: "unattested" } },
  { name: "honest-empty", plan: { last: 10 }, expected: { verdict: "unattested" } },
  {
    name: "honest-empty-without-blank-line",
    only: "json",
    plan: { last: 10 },
    forgeText: (text) => text.replace("\n\n", "\n"),
    expected: { verdict: "unattested" },
  },
];

const byAnybody: readonly Case[] = [
  {
    name: "column",
    edit: (text) => text.replace("2026-11-21T09:00:15.000Z", "2026-11-21T09:00:15.001Z"),
    expected: broken("columns", 15),
  },
  {
    name: "derived-column",
    edit: (text) => text.replace(/(memory_query":\["|\[""?)(plain)/, "$1Plain"),
    expected: broken("file", null),
  },
  {
    name: "last-line-cut",
    edit: (text) => text.slice(0, text.lastIndexOf("memory.create")),
    expected: broken("form", 43),
  },
  { name: "empty", edit: () => "", expected: broken("seq", first) },
  { name: "bytes-at-the-end", edit: (text) => `${text}more`, expected: broken("form", 45) },
  {
    name: "manifest",
    editManifest: (text) => text.replace('"rows":34', '"rows":33'),
    expected: broken("manifest", null),
  },
  {
    name: "manifest-signature",
    editManifest: (text) => text.replace(/.{6}\n$/, "AAAA==\n"),
    expected: broken("manifest", null),
  },
  { name: "manifest-empty", editManifest: () => "", expected: broken("manifest", null) },
  {
    name: "manifest-own-key",
    editManifest: (text) => createSigner(createSigningKey()).sign(text.slice(0, text.indexOf("\n\n") + 1)),
    expected: broken("manifest", null),
  },
  {
    name: "manifest-is-checkpoint",
    editManifest: (_, { ledger }) => ledger.chains[1]?.checkpoint(20) ?? "",
    expected: broken("manifest", null),
  },
  { name: "manifest-missing", removeManifest: true, expected: { verdict: "unusable" } },
];

const bySigner: readonly Case[] = [
  {
    name: "entry",
    forge: at(15, (row) => ({
      ...row,
      entry: String(row.entry).replace("15.125", "15.126"),
      duration: 15.126,
    })),
    expected: broken("hash", 15),
  },
  { name: "entry-gone", forge: set(15, { entry: null }), expected: broken("form", 15) },
  { name: "hash", forge: set(15, { hash: "0".repeat(64) }), expected: broken("hash", 15) },
  { name: "salt", forge: set(15, { salt: "00".repeat(16) }), expected: broken("payload", 15) },
  { name: "salt-gone", forge: set(15, { salt: null }), expected: broken("payload", 15) },
  {
    name: "payload",
    forge: at(15, (row) => ({ ...row, payload: `${row.payload} ` })),
    expected: broken("payload", 15),
  },
  {
    name: "redaction-gone",
    forge: at(20, (row) => ({ ...row, salt: null, payload: null })),
    expected: broken("payload", 20),
  },
  ...Object.entries({
    id: "f".repeat(32),
    action: "memory.read",
    model_id: "m",
    project_id: null,
    gateway_id: "g",
    ip_address: "::1",
    user_agent: null,
    http_status: 200,
    is_success: false,
    is_cache_hit: true,
    error_code: 2100,
    error_msg: "no",
    duration: 1,
    credits_consumed: 1,
    balance_consumed_usd: 1,
    tokens: {},
    metadata: null,
    request_body: {},
    response_body: null,
    input_content: "i",
    output_content: "o",
    rag_query: [],
    rag_results: [{}],
    created_at: "2026-11-21T09:00:15.001Z",
    key_id: "k",
    seq: 16,
    memory_id: "m",
    request_parameters: {},
    transport: "cli",
    client_name: "someone/1",
  }).map(
    ([column, value]): Case => ({
      name: `column-${column}`,
      forge: set(15, { [column]: value }),
      expected: broken("columns", 15),
    }),
  ),
  { name: "deletion", forge: (rows) => rows.toSpliced(4, 1), expected: broken("seq", 15) },
  {
    name: "swap",
    forge: (rows) => rows.with(4, rows[5] ?? {}).with(5, rows[4] ?? {}),
    expected: broken("seq", 15),
  },
  { name: "doubled", forge: (rows) => rows.toSpliced(5, 0, rows[4] ?? {}), expected: broken("seq", 15) },
  { name: "truncated", forge: (rows) => rows.slice(0, -3), expected: broken("seq", 42) },
  {
    name: "prepended",
    plan: { first: 10 },
    forgeManifest: (manifest) => ({ ...manifest, first_seq: 11, rows: 34 }),
    expected: broken("seq", 10),
  },
  { name: "appended", plan: { last: last + 1 }, forgeManifest: withoutLast, expected: broken("seq", 45) },
  { name: "reversed", forge: (rows) => rows.toReversed(), expected: broken("seq", first) },
  {
    name: "other-chain",
    forgeManifest: (manifest) => ({ ...manifest, chain: "c".repeat(32) }),
    expected: broken("manifest", null),
  },
  {
    name: "other-project",
    forgeManifest: (manifest) => ({ ...manifest, project: null }),
    expected: broken("chain", first),
  },
  {
    name: "other-span",
    forgeManifest: (manifest) => ({ ...manifest, end_time: "2026-11-21T09:00:40.000Z" }),
    expected: broken("time", 41),
  },
  {
    name: "other-start",
    forgeManifest: (manifest) => ({ ...manifest, first_prev: "0".repeat(64) }),
    expected: broken("link", first),
  },
  {
    name: "other-sha256",
    forgeManifest: (manifest) => ({ ...manifest, sha256: "0".repeat(64) }),
    expected: broken("file", null),
  },
  {
    name: "other-bytes",
    forgeManifest: (manifest) => ({ ...manifest, bytes: 1 }),
    expected: broken("file", null),
  },
  {
    name: "without-checkpoint",
    forgeManifest: (manifest) => ({ ...manifest, checkpoint: null }),
    expected: broken("manifest", null),
  },
  {
    name: "member-more",
    forgeManifest: (manifest) => ({ ...manifest, more: 1 }),
    expected: broken("manifest", null),
  },
  {
    name: "restamped",
    forge: restamp(15),
    forgeManifest: fitting,
    expected: { verdict: "contradicted" },
  },
  {
    name: "restamped-alone",
    forge: restamp(15),
    forgeManifest: fitting,
    outside: false,
    expected: { verdict: "unattested" },
  },
];

/** What one reader takes for this and another for that. */
const twoReadings: readonly Case[] = [
  {
    name: "column-twice",
    only: "json",
    forgeText: (text) => text.replace(/("id":"[^"]*",)(.*"seq\\":15,)/, '"http_status":500,$1$2'),
    expected: broken("form", 15),
  },
  {
    name: "member-twice",
    only: "json",
    forgeText: (text) =>
      text.replace('"request_body":{"content":"', '"request_body":{"content":"hidden","content":"'),
    expected: broken("form", first),
  },
  {
    name: "row-without-column",
    only: "json",
    forgeText: (text) => text.replace(/"user_agent":"plain",(.*"seq\\":13,)/, "$1"),
    expected: broken("form", 13),
  },
  {
    name: "blank-line",
    only: "json",
    forgeText: (text) => text.replace(/\n(?=.*"seq\\":15,)/, "\n\n"),
    expected: broken("form", 15),
  },
  {
    name: "comma-missing",
    only: "json",
    forgeText: (text) => text.replace(/,\n(?=.*"seq\\":16,)/, "\n"),
    expected: broken("form", 16),
  },
  {
    name: "comma-at-the-end",
    only: "json",
    forgeText: (text) => text.replace(/\n\]\n$/, ",\n]\n"),
    expected: broken("form", last + 1),
  },
  {
    name: "array-not-closed",
    only: "json",
    forgeText: (text) => text.replace(/\]\n$/, ""),
    expected: broken("form", last + 1),
  },
  {
    name: "array-closed-twice",
    only: "json",
    forgeText: (text) => `${text}]\n`,
    expected: broken("form", last + 1),
  },
  {
    name: "line-feed-missing",
    forgeText: (text) => text.slice(0, -1),
    expected: broken("form", last + 1),
    only: "json",
  },
  {
    name: "last-line-feed-missing",
    forgeText: (text) => text.slice(0, -1),
    expected: broken("form", last),
    only: "csv",
  },
  {
    name: "column-renamed",
    only: "json",
    forgeText: (text) => text.replaceAll('"tokens":', '"Tokens":'),
    expected: broken("columns", first),
  },
  {
    name: "header-renamed",
    only: "csv",
    forgeText: (text) => text.replace(",tokens,", ",Tokens,"),
    expected: broken("columns", first),
  },
  {
    name: "member-twice-in-cell",
    only: "csv",
    forgeText: (text) => text.replace(',"{""content"":""', ',"{""content"":""hidden"",""content"":""'),
    expected: broken("columns", first),
  },
  {
    name: "header-twice",
    only: "csv",
    forgeText: (text) => text.replace(",tokens,", ",action,"),
    expected: broken("form", first),
  },
];

export function forgeExports(base: Base, _folder: string): Specimen[] {
  return (["json", "csv"] as const).flatMap((format) =>
    [...honest, ...byAnybody, ...bySigner, ...twoReadings]
      .filter(({ only = format }) => only === format)
      .map((one) => forgeExport(base, format, one)),
  );
}

function forgeExport(base: Base, format: "json" | "csv", one: Case): Specimen {
  const chain = base.ledger.chains[1];
  if (chain === undefined) throw new Error("no such chain");
  const name = `export-${one.name}.${format}`;
  const { forge = (rows) => rows, forgeManifest = (manifest) => manifest } = one;
  const path = writeExport(base.ledger, chain, {
    format,
    first,
    last,
    name,
    erased: [12],
    forge,
    forgeManifest,
    ...(one.forgeText === undefined ? {} : { forgeText: one.forgeText }),
    ...one.plan,
  });
  if (one.edit !== undefined) writeFileSync(path, one.edit(readFileSync(path, "utf8")));
  const manifest = `${path}.manifest`;
  if (one.editManifest !== undefined)
    writeFileSync(manifest, one.editManifest(readFileSync(manifest, "utf8"), base));
  if (one.removeManifest === true) rmSync(manifest);
  const checkpoints = (one.outside ?? true) ? [base.outside] : [];
  return { name, path, checkpoints, publicKey: base.publicKey, seq: null, check: null, ...one.expected };
}

/** Records from a seq on with other contents and recomputed hashes. */
function restamp(seq: number): NonNullable<ExportPlan["forge"]> {
  return (rows) => {
    let prev = String(rows[seq - first - 1]?.hash);
    return rows.map((row, index) => {
      if (index < seq - first) return row;
      const payload = String(row.payload).replaceAll("127.0.0.1", "127.0.0.2");
      const commitment = payloadHash(Buffer.from(String(row.salt), "hex"), payload);
      const entry = canonicalize({ ...JSON.parse(String(row.entry)), payload_hash: commitment, prev }) ?? "";
      prev = entryHash(entry);
      return { ...row, ip_address: row.ip_address === null ? null : "127.0.0.2", entry, hash: prev, payload };
    });
  };
}
