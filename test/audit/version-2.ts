// Builds chains of version 2 of the record format in memory, as docs/engineer/AUDIT-FORMAT-2.md describes them: the same bytes each time.
// Must never write a file.

import { createHash, createPrivateKey } from "node:crypto";
import canonicalize from "canonicalize";
import { genesisHash, genesisText } from "../../src/audit/chain.ts";
import { anchorText, checkpointText, treeCheckpointText } from "../../src/audit/checkpoint.ts";
import { cutPayload, encodeParts, eraseParts, type Part, type Place } from "../../src/audit/parts/parts.ts";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { createSigner, type Signer } from "../../src/audit/signed-note.ts";
import {
  appendLeaf,
  createTreeHasher,
  emptyFrontier,
  type Frontier,
  inclusionPath,
  nodesAtCut,
  rootOf,
  statementHash,
  statementText,
  type TreeNode,
  type TreeReader,
} from "../../src/audit/tree.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { fromHex, toHex } from "../../src/platform/text/byte-text.ts";
import { toTimestamp } from "../../src/platform/time/timestamp.ts";
import { sealPayload1 } from "./version-1.ts";

/** The signer whose Ed25519 seed is 32 bytes that count from this one: that of the golden files for 0. */
export function signerFrom(first: number): Signer {
  const seed = Buffer.from(Array.from({ length: 32 }, (_, index) => first + index));
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
  const key = createPrivateKey({ key: Buffer.concat([prefix, seed]), format: "der", type: "pkcs8" });
  return createSigner(key.export({ type: "pkcs8", format: "pem" }).toString());
}

export const hasher = createTreeHasher(runtimeCryptography);
export const startAt = Date.parse("2026-11-21T09:30:00.000Z");
const fixed = (name: string, bytes: number) => createHash("sha256").update(name).digest().subarray(0, bytes);
/** 32 hexadecimal characters, the same for the same name. */
export const idOf = (name: string) => fixed(name, 16).toString("hex");

export interface MadeRecord2 {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly version: 1 | 2;
  readonly action: string;
  readonly status: number;
  readonly key: string | null;
  readonly memory: string | null;
  readonly entry: string;
  readonly hash: string;
  readonly mac: Uint8Array | null;
  readonly parts: number;
  /** Of the entry. */
  readonly pseudonyms: readonly string[];
  /** As it was written. */
  readonly sealed: MadePayload;
  /** Null: the payload is missing. */
  payload: MadePayload | null;
}

interface MadePayload {
  readonly salt: Uint8Array;
  readonly content: Uint8Array;
}

export interface Draft2 {
  readonly action: string;
  readonly status?: number;
  readonly key?: string | null;
  readonly memory?: string | null;
  readonly performed?: boolean;
  readonly payload: JsonObject;
  /** Only in version 2. */
  readonly about?: readonly string[];
  readonly places?: readonly Place[];
  readonly subject?: string;
  readonly conversation?: string;
}

/** Changes what is written, before it is hashed and signed. */
export interface Forgery {
  readonly draft?: (draft: Draft2, seq: number) => Draft2;
  readonly parts?: (parts: Part[], seq: number) => Part[];
  readonly entry?: (entry: JsonObject, seq: number) => JsonObject;
  readonly statement?: (statement: string) => string;
}

interface ChainPlan {
  readonly number: number;
  readonly name: string;
  readonly project: string | null;
  readonly signer: Signer;
  readonly forgery?: Forgery;
}

export type MadeChain2 = ReturnType<typeof createChain2>;
export interface Note2 {
  readonly size: number;
  readonly at: number;
  readonly note: string;
  /** Null: of version 1. */
  readonly leaves: number | null;
}

export function createChain2({ number, name, project, signer, forgery = {} }: ChainPlan) {
  const chain = idOf(name);
  const genesis = { chain, project, at: toTimestamp(startAt), nonce: idOf(`${name} nonce`) };
  const start = genesisHash(genesis);
  const records: MadeRecord2[] = [];
  const notes = new Map<number, Note2>();
  const anchors: { through: number; at: number; note: string }[] = [];
  const frontiers: Frontier[] = [];
  const leaves: Uint8Array[] = [];
  const completed: TreeNode[] = [];
  let cut: readonly TreeNode[] = [];
  let tree: { text: string; through: number } | null = null;
  const macOf = signer.macOf(chain);

  const addLeaf = (data: Uint8Array): void => {
    const appended = appendLeaf(frontiers.at(-1) ?? emptyFrontier, data, hasher);
    leaves.push(data);
    frontiers.push(appended.frontier);
    completed.push(...appended.completed);
  };
  const hashAt = (seq: number) => records[seq - 1]?.hash ?? start;
  const atOf = (seq: number) => records[seq - 1]?.at ?? startAt;
  /** Without removals: all leaves are there. */
  const reader: TreeReader = {
    removed: 0,
    leaves: (first, end) => leaves.slice(first, end),
    nodes: (level, first, end) =>
      completed
        .filter((node) => node.level === level && node.position >= first && node.position < end)
        .map(({ hash }) => hash),
  };

  const append = (version: 1 | 2, given: Draft2): MadeRecord2 => {
    const seq = records.length + 1;
    const draft = forgery.draft?.(given, seq) ?? given;
    const { action, status = 200, key = null, memory = null, performed } = draft;
    const [at, id] = [startAt + seq * 1000, idOf(`${name} record ${seq}`)];
    const sealed = version === 1 ? sealOne(draft.payload, `${name} ${seq}`) : seal(draft, seq);
    const { subject, conversation } = draft;
    const plain = {
      ...{
        v: version,
        chain,
        seq,
        id,
        at: toTimestamp(at),
        action,
        status,
        code: status < 300 ? 1000 : 2100,
        key,
      },
      ...{ project, memory, numbers: numbersOf(seq), payload_hash: sealed.hash, prev: hashAt(seq - 1) },
      ...(performed === true ? { performed } : {}),
      ...(version === 1 ? {} : { parts: sealed.parts }),
      ...(subject === undefined ? {} : { subject }),
      ...(conversation === undefined ? {} : { conversation }),
    };
    const entry = canonicalize(forgery.entry?.(plain, seq) ?? plain) ?? "";
    const prefix = `memledger/entry/v${JSON.parse(entry).v}\0`;
    const hash = createHash("sha256").update(prefix).update(entry).digest("hex");
    const record: MadeRecord2 = {
      ...{ seq, id, at, version, action, status, key, memory, entry, hash, parts: sealed.parts },
      mac: version === 1 ? null : macOf(hash),
      pseudonyms: [subject, conversation].filter((one) => one !== undefined),
      sealed: { salt: sealed.salt, content: sealed.content },
      payload: { salt: sealed.salt, content: sealed.content },
    };
    records.push(record);
    if (tree !== null) addLeaf(fromHex(hash) ?? new Uint8Array());
    return record;
  };
  const seal = ({ payload, about = [], places = [] }: Draft2, seq: number) => {
    const cutParts = cutPayload(payload, about, places);
    const parts = forgery.parts?.(cutParts, seq) ?? cutParts;
    const salt = Buffer.concat(parts.map((_, index) => fixed(`${name} salt ${seq} ${index}`, 16)));
    const { hash } = encodeParts(parts, salt);
    const content = Buffer.from(parts.map(({ header, text }) => `${header}\t${text}\n`).join(""));
    return { salt, hash, content, parts: parts.length };
  };
  const checkpointOf = (size: number, log = "2", signers: readonly Signer[] = [signer]) => {
    const count = size - (tree?.through ?? 0) + 1;
    const frontier = frontiers[count - 1];
    if (frontier === undefined) throw new Error(`the tree of ${name} has no record ${size}`);
    const text = treeCheckpointText({ chain, log, leaves: count, root: toHex(rootOf(frontier, hasher)) });
    const [first = "", ...more] = signers.map((one) => one.sign(text));
    return first + more.map((note) => note.slice(note.lastIndexOf("— "))).join("");
  };

  return {
    ...{
      number,
      chain,
      project,
      genesis: genesisText(genesis),
      genesisHash: start,
      records,
      notes,
      anchors,
      signer,
    },
    get tree() {
      return tree;
    },
    get leaves(): readonly Uint8Array[] {
      return leaves;
    },
    reader,
    append1: (draft: Draft2) => append(1, draft),
    append2: (draft: Draft2) => append(2, draft),
    /** Begins the tree, with the checkpoint of one leaf. */
    begin() {
      const through = anchors.at(-1)?.through ?? 0;
      const statement = { chain, first: records.length + 1, genesis: start, hash: hashAt(through), through };
      const text = forgery.statement?.(statementText(statement)) ?? statementText(statement);
      tree = { text, through };
      addLeaf(statementHash(text, runtimeCryptography));
      for (const record of records.slice(through)) addLeaf(fromHex(record.hash) ?? new Uint8Array());
      notes.set(through, { size: through, at: atOf(through), note: checkpointOf(through), leaves: 1 });
    },
    sign1(size: number) {
      const note = signer.sign(checkpointText({ chain, size, hash: hashAt(size), at: atOf(size) }));
      notes.set(size, { size, at: atOf(size), note, leaves: null });
    },
    sign2(size: number, log?: string, signers?: readonly Signer[]) {
      const note = checkpointOf(size, log, signers);
      notes.set(size, { size, at: atOf(size), note, leaves: size - (tree?.through ?? 0) + 1 });
    },
    checkpointOf,
    pathOf: (seq: number, size: number) => {
      const through = tree?.through ?? 0;
      return inclusionPath(seq - through, size - through + 1, reader, hasher);
    },
    removePayload(seq: number) {
      const record = records[seq - 1];
      if (record !== undefined) record.payload = null;
    },
    erase(seq: number, parts: readonly number[]) {
      const record = records[seq - 1];
      if (record?.payload == null) throw new Error(`record ${seq} has no payload`);
      const { salt, compressed } = eraseParts(record.payload, record.parts, new Set(parts));
      record.payload = { salt, content: Bun.zstdDecompressSync(compressed) };
    },
    /** What retention does: the records up to this one are removed, and nodes are stored in their place. */
    anchor(through: number) {
      const before = anchors.at(-1)?.through ?? 0;
      const facts = { through, hash: hashAt(through), firstAt: atOf(before + 1), lastAt: atOf(through) };
      const text = anchorText({ chain, ...facts, count: through - before, cause: "retention" });
      anchors.push({ through, at: atOf(through), note: signer.sign(text) });
      if (tree === null) return;
      const kept = [...notes.values()].flatMap((note) => note.leaves ?? []);
      cut = nodesAtCut(through - tree.through + 1, kept, reader, hasher);
    },
    nodes: () => [...cut, ...completed].toSorted((a, b) => a.level - b.level || a.position - b.position),
    /** The pseudonyms of the entry and of the headers that are present. */
    pseudonymsOf({ pseudonyms, payload, version }: MadeRecord2): string[] {
      const lines =
        payload === null || version === 1 ? [] : payload.content.toString().split("\n").slice(0, -1);
      const about = lines.flatMap((line): string[] => JSON.parse(line.split("\t")[0] ?? "")?.about ?? []);
      return [...new Set([...pseudonyms, ...about])];
    },
  };
}

function sealOne(payload: JsonObject, name: string) {
  const { salt, hash, text } = sealPayload1(payload, fixed(`salt ${name}`, 16));
  return { salt, hash, content: Buffer.from(text), parts: 1 };
}

function numbersOf(seq: number): JsonObject {
  return { duration: seq + 0.125, credits_consumed: 0, balance_consumed_usd: 0, is_cache_hit: false };
}
