// Owns the verification of an export with its manifest, as a stream of bytes. Pure; must never open a file.

import { successCode } from "../../errors.ts";
import { isObject, type Json, type JsonObject } from "../../json/json.ts";
import {
  compareCheckpoints,
  type JoinedChain,
  joinSegments,
  type KnownCheckpoint,
} from "./chain-verification.ts";
import type { Entry } from "./entry-parser.ts";
import { type ExportRow, readRows } from "./export-rows.ts";
import { type Manifest, parseManifest } from "./manifest.ts";
import type { NoteReader } from "./note-reader.ts";
import { createSegmentVerifier, type FoundPayload, type FoundRecord } from "./segment.ts";
import { type ChainReport, earlier, type Failure, judge, type Report } from "./verdict.ts";

export interface ExportVerification {
  readonly file: AsyncIterable<Uint8Array>;
  readonly manifest: string;
  readonly reader: NoteReader;
  /** From outside, with good signatures. */
  readonly checkpoints: readonly KnownCheckpoint[];
  readonly refusedOutside: Failure | null;
  readonly remarks: readonly string[];
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
}

interface ExportedRecord extends FoundRecord {
  readonly row: ExportRow;
}

export async function verifyExport(options: ExportVerification): Promise<Report> {
  const manifest = parseManifest(options.manifest, options.reader);
  const { refusedOutside, checkpoints, remarks } = options;
  if (typeof manifest === "string") {
    const failure: Failure = { seq: null, check: "manifest", message: manifest };
    return judge({ chains: [], failure, contradictions: [], remarks });
  }
  const { body, failure } = await readFile(options, manifest);
  const chain = reportExport(manifest, body, checkpoints);
  return judge({
    chains: [chain],
    failure: chain.failure === null ? (failure ?? refusedOutside) : null,
    contradictions: [],
    remarks: manifest.isVerifiable ? remarks : [...remarks, unverifiable],
  });
}

const unverifiable =
  "This export was made without hashes: the signature proves that the file is unchanged, and nothing proves its records.";

async function readFile(
  { file, checkpoints, onProgress }: ExportVerification,
  manifest: Manifest,
): Promise<{ body: JoinedChain; failure: Failure | null }> {
  const { chain, project, span, isVerifiable } = manifest;
  const seen = { bytes: 0, hash: new Bun.CryptoHasher("sha256") };
  const segment = createSegmentVerifier<ExportedRecord>({
    chain,
    project,
    columnsAgree,
    wanted: wantedSizes(checkpoints, manifest),
    span: [manifest.startTime, manifest.endTime],
  });
  let rows = 0;
  const watched = watch(file, (chunk) => {
    seen.hash.update(chunk);
    seen.bytes += chunk.length;
    onProgress?.(seen.bytes, manifest.bytes);
  });
  for await (const row of readRows(watched, manifest.format)) {
    rows += 1;
    if (isVerifiable) segment.take(toRecord(row, rows === 1 ? (span?.firstSeq ?? 1) : null));
  }
  const start = { seq: (span?.firstSeq ?? 1) - 1, hash: span?.firstPrev ?? null, at: null };
  const found = segment.finish();
  const body = joinSegments({ start, segments: found === null ? [] : [found] });
  const isWhole =
    rows === manifest.rows && seen.bytes === manifest.bytes && seen.hash.digest("hex") === manifest.sha256;
  const message = "the file is not the one that the manifest describes";
  return {
    body: isVerifiable
      ? { ...body, failure: earlier(body.failure, checkEnd(body, manifest)) }
      : { ...body, records: rows },
    failure: isWhole ? null : { seq: null, check: "file", message },
  };
}

async function* watch(
  file: AsyncIterable<Uint8Array>,
  look: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of file) {
    look(chunk);
    yield chunk;
  }
}

function wantedSizes(checkpoints: readonly KnownCheckpoint[], { chain }: Manifest): number[] {
  const sizes = checkpoints.filter((checkpoint) => checkpoint.chain === chain).map(({ size }) => size);
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** `expectedSeq`: where a row stands that cannot be read, when no row comes before it. */
function toRecord(row: ExportRow | null, expectedSeq: number | null): ExportedRecord {
  const entry = row?.text("entry") ?? null;
  return {
    row: row ?? nothing,
    seq: null,
    expectedSeq,
    entry,
    hash: row?.text("hash") ?? null,
    payload: row === null ? "unreadable" : toPayload(row.text("salt"), row.text("payload")),
  };
}

const nothing: ExportRow = { has: () => false, text: () => null, shows: () => false };

function toPayload(salt: string | null, text: string | null): FoundPayload {
  if (salt === null && text === null) return "missing";
  if (salt === null || text === null || !/^([0-9a-f]{2})*$/.test(salt)) return "unreadable";
  return { salt: Buffer.from(salt, "hex"), text };
}

/** Whether the records end where the manifest says. */
function checkEnd({ lastSeq, lastHash }: JoinedChain, { span }: Manifest): Failure | null {
  const last = span?.lastSeq ?? 0;
  const found = lastSeq ?? (span?.firstSeq ?? 1) - 1;
  const fail = (seq: number, check: Failure["check"], message: string): Failure => ({ seq, check, message });
  if (found < last)
    return fail(found + 1, "seq", `the file ends before it, but the manifest names records up to ${last}`);
  if (found > last) return fail(last + 1, "seq", "the manifest names no such record");
  if (span === null || lastHash === span.lastHash) return null;
  return fail(last, "link", "the manifest names another record in its place");
}

function reportExport(
  manifest: Manifest,
  body: JoinedChain,
  checkpoints: readonly KnownCheckpoint[],
): ChainReport {
  const { chain, project, span } = manifest;
  const own = checkpoints.filter((checkpoint) => checkpoint.chain === chain);
  const hashAt = (size: number) =>
    span !== null && size === span.firstSeq - 1 ? span.firstPrev : (body.hashes.get(size) ?? null);
  const weighed = compareCheckpoints({ chain, checkpoints: own, hashAt, newest: null, first: body.firstSeq });
  const { records, firstSeq, lastSeq, withoutPayload, failure } = body;
  const after = weighed.attestedThrough ?? (firstSeq ?? 1) - 1;
  return {
    chain,
    project,
    records,
    firstSeq,
    lastSeq,
    withoutPayload,
    failure,
    ...weighed,
    checkpoints: own.length + (span === null ? 0 : 1),
    anchors: 0,
    tail: lastSeq === null ? 0 : lastSeq - after,
    removedInTail: 0,
  };
}

/** Columns that copy the payload and that every version has written. */
const payloadColumns = [
  "model_id",
  "gateway_id",
  "ip_address",
  "user_agent",
  "error_msg",
  "metadata",
  "request_body",
  "response_body",
  "input_content",
  "output_content",
  "rag_query",
  "rag_results",
] as const;
/** The server derives these for the reader where the payload does not hold them. */
const derivedColumns = ["memory_query", "memory_results"] as const;

function columnsAgree({ row, entry: text, payload }: ExportedRecord, entry: Entry): boolean {
  const shows = (column: string, value: Json) => row.has(column) && row.shows(column, value);
  const agreesIfPresent = (column: string, value: Json) => !row.has(column) || row.shows(column, value);
  const numbers = membersOf(JSON.parse(text ?? "{}").numbers);
  const members = typeof payload === "string" ? {} : parsePayload(payload.text);
  return (
    shows("id", entry.id) &&
    shows("action", entry.action) &&
    shows("project_id", entry.project) &&
    shows("created_at", entry.at) &&
    shows("http_status", entry.status) &&
    shows("is_success", entry.status >= 200 && entry.status <= 299) &&
    shows("error_code", entry.code === successCode ? null : entry.code) &&
    shows("duration", numbers.duration ?? null) &&
    shows("tokens", numbers.tokens ?? null) &&
    shows("is_cache_hit", numbers.is_cache_hit ?? false) &&
    shows("credits_consumed", numbers.credits_consumed ?? 0) &&
    shows("balance_consumed_usd", numbers.balance_consumed_usd ?? 0) &&
    payloadColumns.every((column) => shows(column, members[column] ?? null)) &&
    derivedColumns.every((column) => row.has(column)) &&
    derivedColumns.every((column) => members[column] === undefined || shows(column, members[column])) &&
    agreesIfPresent("key_id", entry.key) &&
    agreesIfPresent("seq", entry.seq) &&
    agreesIfPresent("memory_id", entry.memory) &&
    agreesIfPresent("request_parameters", members.request_parameters ?? null)
  );
}

/** {} for a text that is no JSON object: its commitment is checked elsewhere. */
function parsePayload(text: string | Uint8Array): JsonObject {
  try {
    return membersOf(JSON.parse(typeof text === "string" ? text : new TextDecoder().decode(text)));
  } catch {
    return {};
  }
}

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
