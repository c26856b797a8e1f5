// Owns the form of a deposit: a file with consecutive entries of a chain and the checkpoints that cover them, which a destination elsewhere keeps. It has
// no payloads, because nobody can erase it there. Pure.

import canonicalize from "canonicalize";
import { isObject } from "../platform/json/json.ts";
import { parseCanonical } from "./verify/entry-parser.ts";

/** The first line of a deposit. Each other line is an entry, as it was hashed. */
export interface DepositHead {
  readonly chain: string;
  /** Null: the installation. */
  readonly project: string | null;
  /** Of the checkpoints. */
  readonly log: string;
  readonly first: number;
  readonly last: number;
  /** The statement of the tree. */
  readonly tree: string;
  /** The nodes (base64) into which the leaves before the first record are divided, the largest first. */
  readonly before: readonly string[];
  /** Signed notes of version 2, with cosignatures: of the last record, and those before it that others have attested. */
  readonly checkpoints: readonly DepositedCheckpoint[];
}

export interface DepositedCheckpoint {
  readonly note: string;
  /** The base64 of a DER TimeStampToken; null: there is none. */
  readonly timestamp: string | null;
}

export function depositHeadText(head: DepositHead): string {
  return `${canonicalize({ deposit: 1, ...head })}\n`;
}

/** Null when the line is not the head of a deposit. */
export function parseDepositHead(line: string): DepositHead | null {
  const value = parseCanonical(line);
  if (value === null || value.deposit !== 1) return null;
  const { chain, project, log, first, last, tree, before, checkpoints } = value;
  if (typeof chain !== "string" || typeof log !== "string" || typeof tree !== "string") return null;
  if (project !== null && typeof project !== "string") return null;
  if (!isSeq(first) || !isSeq(last) || last < first || !Array.isArray(checkpoints)) return null;
  if (!Array.isArray(before) || !before.every((one) => typeof one === "string")) return null;
  const notes = checkpoints.flatMap((one) => {
    const { note, timestamp } = isObject(one) ? one : {};
    const isWhole = typeof note === "string" && (timestamp === null || typeof timestamp === "string");
    return isWhole ? [{ note, timestamp }] : [];
  });
  if (notes.length !== checkpoints.length) return null;
  return { chain, project, log, first, last, tree, before, checkpoints: notes };
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

type Place = Pick<DepositHead, "chain" | "log" | "first" | "last">;

/** The name of a deposit below its destination: the origin of its checkpoints, and its records. In the order of the records. */
export function depositName({ chain, log, first, last }: Place): string {
  return `memledger/${chain}/${log}/${toDigits(first)}-${toDigits(last)}${depositSuffix}`;
}

/** The name of the receipts of the erasures whose records are in a deposit, one in each line. */
export function erasuresName(name: string): string {
  return name.slice(0, -depositSuffix.length) + erasuresSuffix;
}

export const depositSuffix = ".jsonl";
export const erasuresSuffix = ".erasures.jsonl";
const nameForm = /^memledger\/([0-9a-f]{32})\/(2|[0-9a-f]{32})\/(\d{12,16})-(\d{12,16})\.jsonl$/;

/** Null: not the name of a deposit. */
export function parseDepositName(name: string): Place | null {
  const [, chain, log, first, last] = nameForm.exec(name) ?? [];
  return chain === undefined || log === undefined
    ? null
    : { chain, log, first: Number(first), last: Number(last) };
}

function toDigits(seq: number): string {
  return String(seq).padStart(12, "0");
}
