// Makes receipts of records of a made ledger: of both versions, with erased and withheld parts, of several chains, and after a rotation of the
// key; with a witness. The same each time. Must never share code with what verifies them.

import { createHash, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { receiptExtra, receiptText } from "../../../src/audit/record-receipt.ts";
import type { Signer } from "../../../src/audit/signed-note.ts";
import { toBase64 } from "../../../src/platform/text/byte-text.ts";
import { type MadeChain2, signerFrom } from "../version-2.ts";
import { makeVersion2Database } from "../version-2-database.ts";

/** A witness (C2SP tlog-cosignature) whose seed is 32 times this byte. */
export function witnessFrom(name: string, seed: number) {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, seed)]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const typed = Buffer.from([4, ...publicBytes(key)]);
  const id = createHash("sha256").update(`${name}\n`).update(typed).digest().subarray(0, 4);
  return {
    verifierKey: `${name}+${id.toString("hex")}+${typed.toString("base64")}`,
    /** The note with a line of the witness. */
    cosign(note: string, at: number): string {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(BigInt(at));
      const text = note.slice(0, note.indexOf("\n\n") + 1);
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${at}\n${text}`), key);
      return `${note}— ${name} ${Buffer.concat([id, time, signature]).toString("base64")}\n`;
    },
  };
}

function publicBytes(key: KeyObject): Buffer {
  return Buffer.from(String(key.export({ format: "jwk" }).x), "base64url");
}

export const witness = witnessFrom("witness.example/w1", 7);
export const stranger = witnessFrom("stranger.example", 8);
export const seenAt = 1_795_000_000;
export const ledgerKey = signerFrom(0);
export const nextKey = signerFrom(100);

export interface MadeReceipt {
  readonly name: string;
  readonly text: string;
}

interface Choice {
  readonly seq: number;
  /** Of the checkpoint. */
  readonly size: number;
  readonly withPayload?: boolean;
  readonly signers?: readonly Signer[];
  readonly withheld?: readonly number[];
  readonly isWitnessed?: boolean;
}

/** By name. */
export function makeReceipts(): readonly MadeReceipt[] {
  const folder = mkdtempSync(join(tmpdir(), "memledger-receipts-"));
  const { chains } = makeVersion2Database(folder, { records: 70, checkpointEvery: 30 });
  rmSync(folder, { recursive: true });
  const [installation, first, second] = chains;
  if (installation === undefined || first === undefined || second === undefined) throw new Error("no chain");
  const of = (name: string, chain: MadeChain2, choice: Choice) => ({ name, text: receiptOf(chain, choice) });
  return [
    of("version 1", first, { seq: 4, size: 60 }),
    of("many parts", first, { seq: 5, size: 60 }),
    of("many parts, witnessed", first, { seq: 5, size: 70, isWitnessed: true }),
    of("withheld parts", first, { seq: 5, size: 60, withheld: [2, 3], isWitnessed: true }),
    of("erased parts", first, { seq: 8, size: 60, isWitnessed: true }),
    of("erased and withheld parts", first, { seq: 8, size: 60, withheld: [1, 2] }),
    of("without the first part", first, { seq: 10, size: 70 }),
    of("an erasure", first, { seq: 12, size: 13 }),
    of("payload erased", first, { seq: 11, size: 30 }),
    of("payload left out", first, { seq: 5, size: 60, withPayload: false, isWitnessed: true }),
    of("the newest record", first, { seq: 70, size: 70 }),
    of("another record", first, { seq: 33, size: 60, isWitnessed: true }),
    of("both keys", first, { seq: 20, size: 60, signers: [ledgerKey, nextKey] }),
    of("the next key", first, { seq: 20, size: 70, signers: [nextKey] }),
    of("installation", installation, { seq: 2, size: 2, isWitnessed: true }),
    of("installation, version 1", installation, { seq: 1, size: 2 }),
    of("a tree after an anchor", second, { seq: 8, size: 13, isWitnessed: true }),
  ];
}

function receiptOf(chain: MadeChain2, choice: Choice): string {
  const { seq, size, withPayload = true, signers = [ledgerKey], withheld = [], isWitnessed = false } = choice;
  const record = chain.records[seq - 1];
  if (record === undefined) throw new Error(`no record ${seq}`);
  const { payload } = record;
  const stored = payload === null || withheld.length === 0 ? payload : withhold(payload, withheld);
  const { content = null, salt = null } = stored ?? {};
  const note = chain.checkpointOf(size, "2", signers);
  const inclusion = chain.pathOf(seq, size).map(toBase64);
  const proof = { size, inclusion, note: isWitnessed ? witness.cosign(note, seenAt) : note };
  return receiptText(receiptExtra({ entry: record.entry, content, salt }, withPayload), seq, proof);
}

interface Stored {
  readonly content: Uint8Array;
  readonly salt: Uint8Array;
}

/** As the page says: the line `{}`, and the part hash as salt. */
export function withhold({ content, salt }: Stored, withheld: readonly number[]): Stored {
  let at = 0;
  const salts: Uint8Array[] = [];
  const lines = Buffer.from(content).toString().split("\n").slice(0, -1);
  const kept = lines.map((line, index) => {
    const [header = "", text] = line.split("\t");
    const given = salt.subarray(at, at + (text === undefined ? 32 : 16));
    at += given.length;
    const hash = (...parts: (string | Uint8Array)[]) =>
      parts.reduce((one, part) => one.update(part), createHash("sha256")).digest();
    const textHash = text === undefined ? given : hash("memledger/text/v2\0", given, text);
    salts.push(withheld.includes(index) ? hash("memledger/part/v2\0", textHash, header) : given);
    return withheld.includes(index) ? "{}" : line;
  });
  return { content: Buffer.from(kept.map((line) => `${line}\n`).join("")), salt: Buffer.concat(salts) };
}
