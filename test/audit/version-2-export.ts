// Makes exports of a made database of version 2 of the record format, as the page describes them. Must never share code with what verifies
// them.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import canonicalize from "canonicalize";
import { recordFieldNames } from "../../src/audit/record-schema.ts";
import { toExportedRecord } from "../../src/audit/record-view.ts";
import { frontierAt } from "../../src/audit/tree.ts";
import type { Json, JsonObject } from "../../src/platform/json/json.ts";
import { toTimestamp } from "../../src/platform/time/timestamp.ts";
import { toCsv, toJson } from "./export-text.ts";
import { hasher, type MadeChain2, type MadeRecord2 } from "./version-2.ts";
import type { MadeVersion2 } from "./version-2-database.ts";

export interface Export2Plan {
  readonly format: "json" | "csv";
  readonly first: number;
  readonly last: number;
  readonly name: string;
  /** Seqs that the filter leaves out; absent: `records` is `all`. */
  readonly without?: readonly number[];
  /** Absent: all parts. */
  readonly parts?: readonly string[];
  /** Of `some`: the size of the checkpoint. Default: `last`. */
  readonly size?: number;
  readonly forge?: (rows: JsonObject[]) => JsonObject[];
  readonly forgeManifest?: (manifest: JsonObject) => JsonObject;
}

/** Of the chain of the first project. Writes the file and its manifest. @returns the path of the file */
export function makeVersion2Export({ folder, chains, signer }: MadeVersion2, plan: Export2Plan): string {
  const [, chain] = chains;
  if (chain === undefined) throw new Error("there is no chain of a project");
  const {
    format,
    first,
    last,
    without,
    forge = (rows) => rows,
    forgeManifest = (manifest) => manifest,
  } = plan;
  const records = chain.records.slice(first - 1, last).filter(({ seq }) => without?.includes(seq) !== true);
  const rows = forge(records.map((record) => toRow(chain, record, plan)));
  const proof = without === undefined ? [] : ["proof"];
  const columns = [...recordFieldNames, "erased_parts", ...proof, "entry", "salt", "payload"];
  const text = format === "json" ? toJson(rows, columns) : toCsv(rows, columns);
  const path = join(folder, plan.name);
  writeFileSync(path, text);
  const manifest = forgeManifest(toManifest(chain, records, plan, text));
  writeFileSync(`${path}.manifest`, signer.sign(`memledger-export/v2\n${canonicalize(manifest)}\n`));
  return path;
}

/** The stored bytes of a payload, without the parts that are not to be in the file. */
function withhold({ payload, version }: MadeRecord2, parts: readonly string[] | undefined) {
  if (payload === null || version === 1 || parts === undefined) return payload;
  let at = 0;
  const salts: Uint8Array[] = [];
  const lines = payload.content.toString().split("\n").slice(0, -1);
  const kept = lines.map((line, index) => {
    const [header = "", text] = line.split("\t");
    const from = at;
    at += text === undefined ? 32 : 16;
    const salt = payload.salt.subarray(from, at);
    const { about }: { about: string[] } = JSON.parse(header);
    const isKept = about.length === 0 ? parts.includes("") : about.every((one) => parts.includes(one));
    if (index === 0 || isKept) {
      salts.push(salt);
      return line;
    }
    const hash = (...bytes: (string | Uint8Array)[]) => {
      const one = createHash("sha256");
      for (const each of bytes) one.update(each);
      return one.digest();
    };
    const textHash = text === undefined ? salt : hash("memledger/text/v2\0", salt, text);
    salts.push(hash("memledger/part/v2\0", textHash, header));
    return "{}";
  });
  return { salt: Buffer.concat(salts), content: Buffer.from(kept.map((line) => `${line}\n`).join("")) };
}

function toRow(chain: MadeChain2, record: MadeRecord2, plan: Export2Plan): JsonObject {
  const payload = withhold(record, plan.parts);
  const content = payload === null ? null : Buffer.from(payload.content).toString();
  const isVersion2 = record.version === 2 && content !== null;
  const object = isVersion2 ? objectOf(content) : null;
  const { sender, ...members } = object ?? {};
  const shown = isVersion2
    ? JSON.stringify({ ...members, ...(typeof sender === "object" ? sender : {}) })
    : content;
  const fields = toExportedRecord(
    {
      ...record,
      salt: payload?.salt ?? null,
      payload: shown,
      erased: [],
      removal: content === null ? "redacted" : null,
    },
    true,
  );
  const erased = content
    ?.split("\n")
    .slice(0, -1)
    .flatMap((line, index) => (line.includes("\t") || line === "{}" ? [] : [index]));
  return {
    ...fields,
    erased_parts: isVersion2 ? (erased ?? []) : null,
    ...(plan.without === undefined
      ? {}
      : {
          proof: chain
            .pathOf(record.seq, plan.size ?? plan.last)
            .map((hash) => Buffer.from(hash).toString("base64")),
        }),
    entry: record.entry,
    salt: payload === null ? null : Buffer.from(payload.salt).toString("hex"),
    payload: content,
  };
}

/** The payload object of the parts that are there. */
function objectOf(content: string): Record<string, Json> | null {
  const holder: { [name: string]: Json } = { root: null };
  for (const line of content.split("\n").slice(0, -1)) {
    const [header = "", text] = line.split("\t");
    if (text === undefined) continue;
    for (const place of JSON.parse(header).at as string[]) {
      const names = `root${place}`.split("/");
      let at: unknown = holder;
      for (const name of names.slice(0, -1)) at = (at as Record<string, unknown> | null)?.[name];
      if (typeof at === "object" && at !== null)
        (at as Record<string, unknown>)[names.at(-1) ?? ""] = JSON.parse(text);
    }
  }
  return holder.root as Record<string, Json> | null;
}

function toManifest(
  chain: MadeChain2,
  records: readonly MadeRecord2[],
  plan: Export2Plan,
  text: string,
): JsonObject {
  const { format, first, without, parts = "all", size = plan.last } = plan;
  const [head, tail] = [records[0], records.at(-1)];
  if (head === undefined || tail === undefined) throw new Error("an export of no records is not made here");
  const leaves = head.seq - (chain.tree?.through ?? 0);
  const before = frontierAt(leaves, chain.reader, hasher).hashes.map((hash) =>
    Buffer.from(hash).toString("base64"),
  );
  return {
    ...{
      export_id: "019a2b3c-5f1e-7a60-8192-a3b4c5d6e7f8",
      chain: chain.chain,
      project: chain.project,
      format,
    },
    ...{ start_time: toTimestamp(head.at), end_time: toTimestamp(tail.at), created_at: toTimestamp(tail.at) },
    ...{ first_seq: head.seq, last_seq: tail.seq, rows: records.length, last_hash: tail.hash },
    first_prev: chain.records[first - 2]?.hash ?? chain.genesisHash,
    ...{ bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text).digest("hex") },
    checkpoint: chain.checkpointOf(without === undefined ? tail.seq : size),
    ...{ verifiable: true, records: without === undefined ? "all" : "some", parts },
    filter: without === undefined ? null : { key: "of somebody" },
    tree: chain.tree?.text ?? "",
    before: without === undefined ? before : null,
  };
}
