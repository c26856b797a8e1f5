// Owns the verification of an export and its manifest. The file is a stream of bytes. Pure; must never open a file.

import { fromHex } from "../../../platform/text/byte-text.ts";
import { createTreeHasher } from "../../tree.ts";
import { type JoinedChain, joinSegments } from "../chain-verification.ts";
import {
  compareCheckpoints,
  compareRoots,
  firstLog,
  joinComparisons,
  type KnownCheckpoint,
  type KnownRoot,
} from "../checkpoint-comparison.ts";
import type { Cryptography } from "../cryptography.ts";
import { isSignedTooLate, type NoteReader, type SignedRoot, signedTooLate } from "../note-reader.ts";
import type { FoundPayload } from "../record-checks.ts";
import { findRestored } from "../removals.ts";
import { createSegmentVerifier, type Segment } from "../segment.ts";
import { type ChainReport, createReport, earlier, type Failure, type Report } from "../verdict.ts";
import { columnsAgree, type ExportedRecord } from "./columns.ts";
import { type Manifest, parseManifest } from "./manifest.ts";
import { exportRemarks } from "./remarks.ts";
import { type ExportRow, readRows } from "./rows.ts";
import { optionsOf, rootsIn } from "./tree.ts";

interface ExportVerification {
  readonly file: AsyncIterable<Uint8Array>;
  readonly manifest: string;
  readonly reader: NoteReader;
  readonly cryptography: Cryptography;
  /** SHA-256 of the whole file; may be computed elsewhere. Default: as all other hashes. */
  readonly fileHash?: FileHash;
  /** External checkpoints with valid signatures. */
  readonly checkpoints: readonly KnownCheckpoint[];
  /** The same of version 2. */
  readonly roots: readonly KnownRoot[];
  readonly refusedOutside: Failure | null;
  readonly remarks: readonly string[];
  /** Whether the export has all records of its chain up to now, so that a larger checkpoint shows that records were removed. */
  readonly isWhole?: boolean;
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
}

/** The next bytes are sent when a promise of `update` is fulfilled. */
export interface FileHash {
  update(bytes: Uint8Array): unknown;
  digest(): string | Promise<string>;
}

export async function verifyExport(options: ExportVerification): Promise<Report> {
  const manifest = parseManifest(options.manifest, options.reader, options.cryptography);
  const { remarks } = options;
  const refuse = (message: string) => {
    const failure: Failure = { seq: null, check: "manifest", message };
    return createReport({ chains: [], failure, contradictions: [], remarks });
  };
  if (typeof manifest === "string") return refuse(manifest);
  const signed = [...options.roots, ...(manifest.root === null ? [] : [manifest.root])];
  const isLate = (root: SignedRoot) => isSignedTooLate(root, signed, options.reader);
  if (manifest.root !== null && isLate(manifest.root)) return refuse(signedTooLate);
  const roots = options.roots.filter((root) => !isLate(root));
  const refusedOutside =
    options.refusedOutside ??
    (roots.length === options.roots.length
      ? null
      : { seq: null, check: "signature", message: signedTooLate });
  const { body, segments, failure } = await readFile(options, manifest);
  const chain = reportExport(manifest, body, segments, { ...options, roots });
  return createReport({
    chains: [chain],
    failure: chain.failure === null ? (failure ?? refusedOutside) : null,
    contradictions: [],
    remarks: [...remarks, ...exportRemarks(manifest, chain, segments, options)],
  });
}

async function readFile(
  {
    file,
    checkpoints,
    roots,
    cryptography,
    fileHash = cryptography.createSha256(),
    onProgress,
  }: ExportVerification,
  manifest: Manifest,
): Promise<{ body: JoinedChain; segments: readonly Segment[]; failure: Failure | null }> {
  const { chain, project, span, isVerifiable } = manifest;
  let bytes = 0;
  const segment = createSegmentVerifier<ExportedRecord>({
    chain,
    project,
    columnsAgree,
    sha256: cryptography.createSha256(),
    hashInto: cryptography.hashInto,
    ...optionsOf(manifest, roots, createTreeHasher(cryptography)),
    wanted: wantedSizes(checkpoints, manifest),
    span: [manifest.startTime, manifest.endTime],
  });
  let rows = 0;
  const chunks = observed(file, async (chunk) => {
    await fileHash.update(chunk);
    bytes += chunk.length;
    onProgress?.(bytes, manifest.bytes);
  });
  for await (const row of readRows(chunks, manifest.format)) {
    rows += 1;
    if (isVerifiable) segment.take(toRecord(row, rows === 1 ? (span?.firstSeq ?? 1) : null));
  }
  const start = { seq: (span?.firstSeq ?? 1) - 1, hash: span?.firstPrev ?? null, at: null };
  const found = segment.finish();
  const segments = found === null ? [] : [found];
  const body = joinSegments({ start, segments });
  const isWhole =
    rows === manifest.rows && bytes === manifest.bytes && (await fileHash.digest()) === manifest.sha256;
  const message = "the file does not match its manifest";
  return {
    segments,
    body: isVerifiable
      ? { ...body, failure: earlier(body.failure, checkEnd(body, manifest)) }
      : { ...body, extent: { ...body.extent, records: rows } },
    failure: isWhole ? null : { seq: null, check: "file", message },
  };
}

async function* observed(
  file: AsyncIterable<Uint8Array>,
  observe: (chunk: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of file) {
    await observe(chunk);
    yield chunk;
  }
}

function wantedSizes(checkpoints: readonly KnownCheckpoint[], { chain }: Manifest): number[] {
  const sizes = checkpoints.filter((checkpoint) => checkpoint.chain === chain).map(({ size }) => size);
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** `expectedSeq`: the seq of the first row, used if that row cannot be read. */
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

const nothing: ExportRow = {
  has: () => false,
  text: () => null,
  json: () => undefined,
  shows: () => false,
};

function toPayload(salt: string | null, text: string | null): FoundPayload {
  if (salt === null && text === null) return "missing";
  const bytes = salt === null ? null : fromHex(salt);
  return bytes === null || text === null ? "unreadable" : { salt: bytes, text };
}

/** Checks that the records end with the last record of the manifest. */
function checkEnd({ extent: { lastSeq }, lastHash }: JoinedChain, { span }: Manifest): Failure | null {
  const last = span?.lastSeq ?? 0;
  const found = lastSeq ?? (span?.firstSeq ?? 1) - 1;
  const fail = (seq: number, check: Failure["check"], message: string): Failure => ({ seq, check, message });
  if (found < last)
    return fail(
      found + 1,
      "seq",
      `the file ends before this record, but the manifest lists records up to ${last}`,
    );
  if (found > last) return fail(last + 1, "seq", "the manifest does not list this record");
  if (span === null || lastHash === span.lastHash) return null;
  return fail(last, "link", "the manifest lists a different record at this position");
}

function reportExport(
  manifest: Manifest,
  { extent, hashes, failure: found }: JoinedChain,
  segments: readonly Segment[],
  { checkpoints, roots, cryptography, isWhole = false }: ExportVerification,
): ChainReport {
  const { chain, project, span, v2, root, isVerifiable } = manifest;
  const own = checkpoints.filter((checkpoint) => checkpoint.chain === chain);
  const hashAt = (size: number) =>
    span !== null && size === span.firstSeq - 1 ? span.firstPrev : (hashes.get(size) ?? null);
  const { firstSeq, lastSeq } = extent;
  const common = { chain, newest: isWhole ? (lastSeq ?? 0) : null, first: firstSeq };
  const signed =
    root === null ? [] : [{ ...root, isOutside: false, source: "the checkpoint of the manifest" }];
  const given = [...signed, ...roots.filter((one) => one.chain === chain)];
  const rootAt = isVerifiable ? rootsIn(manifest, segments, createTreeHasher(cryptography)) : () => undefined;
  const compared = joinComparisons(
    // A checkpoint of version 1 does not say what a filter has left out.
    compareCheckpoints({
      ...common,
      checkpoints: own,
      hashAt,
      ...(v2?.hasGaps === true ? { first: null } : {}),
    }),
    v2 === null
      ? { coveredThrough: null, contradiction: null }
      : compareRoots({
          ...common,
          roots: given,
          through: v2.statement.through,
          rootAt,
          log: root?.log ?? firstLog,
        }),
  );
  const isBinding = v2 !== null && !v2.hasGaps && !v2.mayWithhold;
  const all = { start: (firstSeq ?? 1) - 1, coveredThrough: lastSeq ?? 0, newest: lastSeq ?? 0 };
  const failure = earlier(found, isBinding ? findRestored(segments, all) : null);
  const members = v2?.newer?.members ?? [];
  const newer = [
    ...members.map((member) => ({ seq: null, member, release: v2?.newer?.release ?? "", isCovered: true })),
    ...segments.flatMap((segment) => segment.newer).map((one) => ({ ...one, isCovered: true })),
  ];
  const after = compared.coveredThrough ?? (firstSeq ?? 1) - 1;
  return {
    chain,
    project,
    ...extent,
    failure,
    ...compared,
    checkpoints: own.length + given.length + (span === null || root !== null ? 0 : 1),
    anchors: 0,
    coveredThrough: after > (lastSeq ?? after) ? lastSeq : compared.coveredThrough,
    uncoveredRecords: lastSeq === null ? 0 : Math.max(0, lastSeq - after),
    uncoveredRemovals: 0,
    ...(newer.length > 0 ? { newer } : {}),
  };
}
