// Builds exports of a made ledger as the format describes them. Must never share code with what verifies them.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import canonicalize from "canonicalize";
import { recordFieldNames } from "../../src/audit/record-schema.ts";
import { toExportedRecord } from "../../src/audit/record-view.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { toTimestamp } from "../../src/platform/time/timestamp.ts";
import { toCsv, toJson } from "./export-text.ts";
import type { MadeChain, MadeLedger, MadeRecord } from "./ledger.ts";

export interface ExportPlan {
  readonly format: "json" | "csv";
  readonly first: number;
  readonly last: number;
  readonly name: string;
  readonly verifiable?: boolean;
  /** Seqs whose payload is gone. */
  readonly erased?: readonly number[];
  /** Changes the rows before they are written. */
  readonly forge?: (rows: JsonObject[]) => JsonObject[];
  /** Changes the text of the file before the manifest is made. */
  readonly forgeText?: (text: string) => string;
  /** Changes the manifest before it is signed. */
  readonly forgeManifest?: (
    manifest: JsonObject,
    rows: readonly JsonObject[],
    ledger: MadeLedger,
  ) => JsonObject;
}

/** Writes the file and its manifest; the manifest names the file as it is, forged or not. @returns its path */
export function writeExport(ledger: MadeLedger, chain: MadeChain, plan: ExportPlan): string {
  const { format, first, last, verifiable = true, forge = (rows) => rows, forgeText = (text) => text } = plan;
  const records = chain.records.slice(first - 1, last);
  const rows = forge(records.map((record) => toRow(record, plan)));
  const columns = verifiable ? [...recordFieldNames, "entry", "salt", "payload"] : recordFieldNames;
  const text = forgeText(format === "json" ? toJson(rows, columns) : toCsv(rows, columns));
  const path = join(ledger.folder, plan.name);
  writeFileSync(path, text);
  writeFileSync(`${path}.manifest`, toManifest(ledger, chain, plan, { text, rows }));
  return path;
}

function toRow(record: MadeRecord, { erased = [], verifiable = true }: ExportPlan): JsonObject {
  const isErased = erased.includes(record.seq);
  const [salt, payload] = isErased ? [null, null] : [record.salt, record.payload];
  const fields = toExportedRecord(
    { ...record, salt, payload, erased: [], removal: isErased ? "redacted" : null },
    verifiable,
  );
  return {
    ...fields,
    entry: record.entry,
    salt: salt === null ? null : Buffer.from(salt).toString("hex"),
    payload,
  };
}

interface Written {
  readonly text: string;
  readonly rows: readonly JsonObject[];
}

function toManifest(ledger: MadeLedger, chain: MadeChain, plan: ExportPlan, { text, rows }: Written): string {
  const { format, first, last, verifiable = true, forgeManifest = (manifest) => manifest } = plan;
  const [head, tail] = [chain.records[first - 1], chain.records[last - 1]];
  const isEmpty = last < first || head === undefined || tail === undefined;
  const manifest = {
    export_id: "019a2b3c-5f1e-7a60-8192-a3b4c5d6e7f8",
    chain: chain.chain,
    project: chain.project,
    format,
    start_time: toTimestamp(head?.at ?? 0),
    end_time: toTimestamp(tail?.at ?? 0),
    first_seq: isEmpty ? null : first,
    last_seq: isEmpty ? null : last,
    rows: isEmpty ? 0 : last - first + 1,
    first_prev: isEmpty ? null : (chain.records[first - 2]?.hash ?? chain.genesisHash),
    last_hash: isEmpty ? null : tail.hash,
    bytes: Buffer.byteLength(text),
    sha256: createHash("sha256").update(text).digest("hex"),
    created_at: toTimestamp(tail?.at ?? 0),
    checkpoint: isEmpty ? null : chain.checkpoint(last),
    verifiable,
  };
  return ledger.signer.sign(`memledger-export/v1\n${canonicalize(forgeManifest(manifest, rows, ledger))}\n`);
}
