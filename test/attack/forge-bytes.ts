// Attacks that hide bytes in the ledger where a verifier does not look, or where it looks for ever: rows with numbers and positions that
// no server gives, frames behind frames, columns that copy nothing, and files beside the database.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { genesisHash, genesisText } from "../../src/audit/chain.ts";
import type { Database } from "../../src/platform/native/sqlite.ts";
import { at, broken, type Case, payloadOf } from "../audit/forge-case.ts";

const hidden = Buffer.from("hidden");
const skippable = Buffer.concat([Buffer.of(0x50, 0x2a, 0x4d, 0x18, hidden.length, 0, 0, 0), hidden]);
const payload = broken("payload", 15);

/** The payload of record 15 in other bytes. */
const repack = (change: (frame: Buffer, text: Buffer) => Uint8Array) => (database: Database) => {
  const frame = database
    .prepare(`SELECT text FROM audit_payload WHERE ${payloadOf(15)}`)
    .pluck()
    .get();
  const bytes = Buffer.from(frame as Uint8Array);
  database
    .prepare(`UPDATE audit_payload SET text = ? WHERE ${payloadOf(15)}`)
    .run(change(bytes, Buffer.from(Bun.zstdDecompressSync(bytes))));
};

/** A frame without compression: magic, descriptor, blocks. */
function rawFrame(
  text: Buffer,
  descriptor: Buffer,
  blocks: readonly Buffer[] = [rawBlock(text, true)],
): Buffer {
  return Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd), descriptor, ...blocks]);
}

function rawBlock(text: Buffer, isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((text.length << 3) | (isLast ? 1 : 0), 0, 3);
  return Buffer.concat([header, text]);
}

function size(text: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(text.length);
  return bytes;
}

const copyOf = (seq: number, number: string, position: string, id: string) =>
  `INSERT INTO audit_entry SELECT ${number}, chain, ${position}, '${id}', at, action, status, entry, hash, key, memory, mac
   FROM audit_entry WHERE ${at(seq)}`;

const frames: readonly Case[] = [
  {
    name: "frame-raw",
    lie: repack((_, text) => rawFrame(text, Buffer.concat([Buffer.of(0xa0), size(text)]))),
    expected: { verdict: "intact" },
  },
  {
    name: "frame-raw-with-empty-end",
    lie: repack((_, text) =>
      rawFrame(text, Buffer.concat([Buffer.of(0xa0), size(text)]), [
        rawBlock(text, false),
        rawBlock(Buffer.alloc(0), true),
      ]),
    ),
    expected: { verdict: "intact" },
  },
  {
    name: "frame-skippable-after",
    lie: repack((frame) => Buffer.concat([frame, skippable])),
    expected: payload,
  },
  {
    name: "frame-skippable-before",
    lie: repack((frame) => Buffer.concat([skippable, frame])),
    expected: payload,
  },
  {
    name: "frame-empty-after",
    lie: repack((frame) => Buffer.concat([frame, Bun.zstdCompressSync("")])),
    expected: payload,
  },
  {
    name: "frame-in-two",
    lie: repack((_, text) =>
      Buffer.concat([Bun.zstdCompressSync(text.subarray(0, 9)), Bun.zstdCompressSync(text.subarray(9))]),
    ),
    expected: payload,
  },
  { name: "frame-bytes-after", lie: repack((frame) => Buffer.concat([frame, hidden])), expected: payload },
  {
    name: "frame-with-empty-blocks",
    lie: repack((_, text) =>
      rawFrame(text, Buffer.concat([Buffer.of(0xa0), size(text)]), [
        ...Array.from({ length: 9 }, () => rawBlock(Buffer.alloc(0), false)),
        rawBlock(text, true),
      ]),
    ),
    expected: payload,
  },
  {
    name: "frame-with-dictionary",
    lie: repack((_, text) =>
      rawFrame(text, Buffer.concat([Buffer.of(0xa3), hidden.subarray(0, 4), size(text)])),
    ),
    expected: payload,
  },
];

const rows: readonly Case[] = [
  { name: "seq-zero", lie: copyOf(15, "NULL", "0", "x"), expected: broken("seq", 0) },
  { name: "seq-negative", lie: copyOf(15, "NULL", "-7", "x"), expected: broken("seq", -7) },
  { name: "number-zero", lie: copyOf(45, "0", "46", "x"), expected: broken("orphan", null) },
  { name: "number-negative", lie: copyOf(45, "-9", "46", "x"), expected: broken("orphan", null) },
  {
    name: "number-least",
    lie: copyOf(45, "-9223372036854775808", "46", "x"),
    expected: broken("orphan", null),
  },
  {
    name: "number-greatest",
    lie: copyOf(45, "9223372036854775807", "46", "x"),
    expected: broken("orphan", null),
  },
  // A verifier that counts up to it does not end.
  {
    name: "number-far-away",
    lie: copyOf(45, "9007199254740991", "46", "x"),
    expected: broken("link", 46),
  },
  {
    name: "payload-far-away",
    lie: "INSERT INTO audit_payload VALUES (9007199254740993, zeroblob(16), x'00')",
    expected: broken("orphan", null),
  },
  {
    name: "chain-number-negative",
    lie: `INSERT INTO audit_chain SELECT -1, 'hidden', 99, genesis, hash, 0, NULL FROM audit_chain WHERE number = 2`,
    expected: broken("genesis", 0),
  },
];

const columns: readonly Case[] = [
  {
    name: "leftover-entry",
    lie: `UPDATE audit_entry SET entry = replace(entry, '"status":', '"status":2') WHERE ${at(5)}`,
    expected: broken("hash", 5),
  },
  {
    name: "leftover-payload",
    lie: `INSERT INTO audit_payload SELECT number, zeroblob(16), x'00' FROM audit_entry WHERE ${at(5)}`,
    expected: broken("payload", 5),
  },
  {
    name: "leftover-foreign",
    lie: `DELETE FROM audit_payload WHERE ${payloadOf(4)}; DELETE FROM audit_entry WHERE ${at(4)}; ${copyOf(15, "2", "1", "x")}`,
    expected: broken("columns", 1),
  },
  {
    name: "leftover-beyond",
    lie: `DELETE FROM audit_payload WHERE ${payloadOf(6)}; DELETE FROM audit_entry WHERE ${at(6)}`,
    expected: broken("seq", 6),
  },
  {
    name: "genesis-nonce",
    lie(database) {
      const row = database
        .prepare<[], { genesis: string }>("SELECT genesis FROM audit_chain WHERE number = 2")
        .get();
      const genesis = { ...JSON.parse(row?.genesis ?? "{}"), nonce: "hidden ".repeat(99) };
      database
        .prepare("UPDATE audit_chain SET genesis = ?, hash = ? WHERE number = 2")
        .run(genesisText(genesis), genesisHash(genesis));
    },
    expected: broken("genesis", 0),
  },
  {
    name: "payloads-through",
    lie: "UPDATE audit_chain SET payloads_through = 40 WHERE number = 2",
    expected: broken("payload", 40),
  },
  {
    name: "payloads-through-zero",
    lie: "UPDATE audit_chain SET payloads_through = 0 WHERE number = 2",
    expected: broken("payload", 8),
  },
  {
    name: "payloads-through-lower",
    lie: "UPDATE audit_chain SET payloads_through = 7 WHERE number = 2",
    expected: broken("payload", 8),
  },
  {
    name: "payloads-through-negative",
    lie: "UPDATE audit_chain SET payloads_through = -1 WHERE number = 2",
    expected: broken("payload", 8),
  },
  {
    name: "payloads-through-negative-where-nothing-was-pruned",
    lie: "UPDATE audit_chain SET payloads_through = -1 WHERE number = 3",
    expected: broken("payload", 0),
  },
  {
    name: "verification-of-nothing",
    lie: "INSERT INTO audit_verification VALUES (77, 1, 'hidden', 0)",
    expected: broken("orphan", null),
  },
  {
    name: "verification-without-hash",
    lie: "INSERT INTO audit_verification VALUES (2, 1, 'hidden', 0)",
    expected: broken("orphan", null),
  },
  {
    name: "hot-journal",
    files: (folder) => writeFileSync(join(folder, "memledger.db-journal"), hidden),
    expected: { verdict: "unusable" },
  },
];

export const hiddenBytes: readonly Case[] = [...frames, ...rows, ...columns];
