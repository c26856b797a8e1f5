// Owns parsing the manifest of an export: its signature, its form, and whether its parts match each other. Pure.

import type { JsonObject } from "../../../platform/json/json.ts";
import { parseCheckpoint } from "../../checkpoint.ts";
import type { Cryptography } from "../cryptography.ts";
import { millisecondsOf, parseCanonical } from "../entry-parser.ts";
import type { NoteReader, SignedRoot } from "../note-reader.ts";
import {
  type ManifestVersion2,
  membersOfVersion2,
  parseManifestVersion2,
  parseOwnRoot,
} from "./manifest-version-2.ts";

export interface Manifest {
  readonly chain: string;
  readonly project: string | null;
  readonly format: "json" | "csv";
  readonly startTime: string;
  readonly endTime: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly isVerifiable: boolean;
  /** Null when there are no rows. */
  readonly span: {
    readonly firstSeq: number;
    readonly lastSeq: number;
    readonly firstPrev: string;
    readonly lastHash: string;
  } | null;
  /** Null: a manifest of version 1. */
  readonly v2: ManifestVersion2 | null;
  /** Its checkpoint, if that is of version 2. */
  readonly root: SignedRoot | null;
}

const heading = /^memledger-export\/v([12])\n/;
const members = 16;

/** The manifest, or the message of the failure. */
export function parseManifest(
  note: string,
  reader: NoteReader,
  cryptography: Cryptography,
): Manifest | string {
  const text = reader.open(note);
  if (text === null) return "the manifest was changed, or signed by another key";
  const [first = "", version] = heading.exec(text) ?? [];
  const value = version === undefined ? null : parseCanonical(text.slice(first.length, -1));
  const v2 = version === "2" && value !== null ? parseManifestVersion2(value, cryptography) : null;
  const count = value === null ? 0 : Object.keys(value).length;
  const isComplete = v2 === null ? version === "1" && count === members : count >= membersOfVersion2;
  const manifest = value === null || !isComplete ? null : toManifest(value, v2);
  if (value === null || manifest === null) return "the manifest is not in the format of a manifest";
  const { chain, span } = manifest;
  const ownText = typeof value.checkpoint === "string" ? reader.open(value.checkpoint) : null;
  const isOfTree = v2 !== null && span !== null && (v2.hasGaps || v2.before !== null);
  const root =
    isOfTree && ownText !== null ? parseOwnRoot(ownText, v2, { chain, lastSeq: span.lastSeq }) : null;
  const matches = isOfTree ? root !== null : matchesCheckpoint(manifest, value.checkpoint, reader);
  const signers = reader.signersOf(String(value.checkpoint));
  return matches
    ? { ...manifest, root: root && { ...root, signers } }
    : "the manifest does not match its own checkpoint";
}

function toManifest(value: JsonObject, v2: ManifestVersion2 | null): Manifest | null {
  const { chain, project, format, start_time, end_time, rows, bytes, sha256, verifiable } = value;
  if (typeof chain !== "string" || !(project === null || typeof project === "string")) return null;
  if (format !== "json" && format !== "csv") return null;
  if (!isTimestamp(start_time) || !isTimestamp(end_time) || !isTimestamp(value.created_at)) return null;
  if (!isCount(rows) || !isCount(bytes) || typeof sha256 !== "string") return null;
  if (typeof verifiable !== "boolean" || typeof value.export_id !== "string") return null;
  const span = toSpan(value, rows, v2?.hasGaps === true);
  if (span === undefined) return null;
  return {
    chain,
    project,
    format,
    rows,
    bytes,
    sha256,
    span,
    startTime: start_time,
    endTime: end_time,
    isVerifiable: verifiable,
    v2,
    root: null,
  };
}

/** Undefined when the members do not match each other. */
function toSpan(value: JsonObject, rows: number, hasGaps: boolean): Manifest["span"] | undefined {
  const { first_seq, last_seq, first_prev, last_hash } = value;
  if (rows === 0) {
    return [first_seq, last_seq, first_prev, last_hash].every((member) => member === null) ? null : undefined;
  }
  if (!isCount(first_seq) || !isCount(last_seq) || first_seq < 1) return undefined;
  const count = last_seq - first_seq + 1;
  if (hasGaps ? count < rows : count !== rows) return undefined;
  if (typeof first_prev !== "string" || typeof last_hash !== "string") return undefined;
  return { firstSeq: first_seq, lastSeq: last_seq, firstPrev: first_prev, lastHash: last_hash };
}

function matchesCheckpoint({ chain, span }: Manifest, note: unknown, reader: NoteReader): boolean {
  if (span === null) return note === null;
  const text = typeof note === "string" ? reader.open(note) : null;
  const checkpoint = text === null ? null : parseCheckpoint(text);
  return checkpoint?.chain === chain && checkpoint.size === span.lastSeq && checkpoint.hash === span.lastHash;
}

function isTimestamp(value: unknown): value is string {
  return typeof value === "string" && millisecondsOf(value) !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
