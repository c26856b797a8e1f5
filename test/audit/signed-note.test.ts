// Tests notes of format version 2: checkpoints with the root of the tree and the signature lines of witnesses, and the MACs of entries. Notes of
// version 1 have one line as before.

import { describe, expect, test } from "bun:test";
import { createHmac, createPrivateKey, hkdfSync } from "node:crypto";
import fc from "fast-check";
import {
  checkpointText,
  parseCheckpoint,
  parseTreeCheckpoint,
  type TreeCheckpoint,
  treeCheckpointText,
} from "../../src/audit/checkpoint.ts";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { createSigner, createSigningKey, openNote } from "../../src/audit/signed-note.ts";
import { isSignedNote, signerId, splitNotes } from "../../src/audit/verify/note.ts";
import { createNoteReader } from "../../src/audit/verify/note-reader.ts";

const checkpoint: TreeCheckpoint = {
  chain: "0193a5c0000070008000000000000001",
  leaves: 2,
  root: "cbfd2bd6fe771e84f684fb181ebe45eaf1711de98dc426b62646b9acfd424347",
  size: 1,
  hash: "685506ae152bf134b7f0e08063480a1cb67714b1b2f5004b339accf2abac0313",
  at: Date.parse("2026-11-21T09:31:00.000Z"),
};
const text = treeCheckpointText(checkpoint);
const [signer, successor, stranger] = [
  createSigner(createSigningKey()),
  createSigner(createSigningKey()),
  createSigner(createSigningKey()),
];

const lineOf = ({ sign }: typeof signer, of = text) => sign(of).slice(of.length + 1);
/** A cosignature: other name, other length. */
const witness = `— witness.example/w1 ${Buffer.alloc(76, 7).toString("base64")}\n`;
const forged = (line: string) => {
  const [, , encoded = ""] = line.split(" ");
  const bytes = Buffer.from(encoded, "base64");
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  return `— memledger ${bytes.toString("base64")}\n`;
};
const noteOf = (...lines: string[]) => `${text}\n${lines.join("")}`;
const read = (note: string, ...signers: (typeof signer)[]) =>
  createNoteReader(
    signers.map(({ verifierKey }) => verifierKey),
    runtimeCryptography,
  ).open(note);

describe("a checkpoint of version 2", () => {
  test("has the form of a tlog-checkpoint with two extension lines", () => {
    expect(text).toBe(
      [
        "memledger/0193a5c0000070008000000000000001/2",
        "2",
        Buffer.from(checkpoint.root, "hex").toString("base64"),
        `head 1 ${Buffer.from(checkpoint.hash, "hex").toString("base64")}`,
        "time 2026-11-21T09:31:00.000Z",
        "",
      ].join("\n"),
    );
  });

  test("is read as it was written, and by the reader of its version only", () => {
    const hash = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString("hex"));
    const made = fc.record({
      chain: hash.map((each) => each.slice(0, 32)),
      leaves: fc.maxSafeNat().filter((leaves) => leaves > 0),
      root: hash,
      size: fc.maxSafeNat().filter((size) => size < 2 ** 53),
      hash,
      at: fc
        .date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
        .map(Number),
    });
    fc.assert(
      fc.property(made, (each) => {
        expect(parseTreeCheckpoint(treeCheckpointText(each))).toEqual(each);
        expect(parseCheckpoint(treeCheckpointText(each))).toBeNull();
        expect(parseTreeCheckpoint(checkpointText(each))).toBeNull();
      }),
    );
  });

  test.each([
    ["no leaf", text.replace("\n2\n", "\n0\n")],
    ["a number that is written differently", text.replace("\n2\n", "\n02\n")],
    ["a number that a double cannot hold", text.replace("\n2\n", "\n9007199254740993\n")],
    ["a root with unused bits", text.replace("Q0c=\nhead", "Q0d=\nhead")],
    ["another line", `${text}more\n`],
    ["no head", text.replace(/head .*\n/, "")],
    ["another time", text.replace("time 2026-11", "time 2026-13")],
    ["another version", text.replace("/2\n", "/3\n")],
  ])("with %s is none", (_, other) => {
    expect(other).not.toBe(text);
    expect(parseTreeCheckpoint(other)).toBeNull();
  });
});

describe("a note of several signature lines", () => {
  test("is opened with the line of an accepted key, wherever it is", () => {
    expect(read(noteOf(lineOf(signer)), signer)).toBe(text);
    expect(read(noteOf(lineOf(signer), witness), signer)).toBe(text);
    expect(read(noteOf(witness, lineOf(stranger), lineOf(signer)), signer)).toBe(text);
    expect(openNote(noteOf(witness, lineOf(signer)), signer.verifierKey)).toBe(text);
    expect(signerId(noteOf(witness, lineOf(signer)))).toBe(
      signer.verifierKey.slice(0, "memledger+12345678".length),
    );
  });

  test("is not opened without one, or if the first one is wrong", () => {
    expect(read(noteOf(witness), signer)).toBeNull();
    expect(read(noteOf(witness, lineOf(stranger)), signer)).toBeNull();
    expect(read(noteOf(forged(lineOf(signer)), lineOf(signer)), signer)).toBeNull();
    expect(read(noteOf(forged(lineOf(signer)), lineOf(successor)), successor, signer)).toBeNull();
    expect(read(noteOf(lineOf(successor), forged(lineOf(signer))), successor, signer)).toBe(text);
    expect(read(noteOf(lineOf(signer, `${text}more\n`), witness), signer)).toBeNull();
    expect([noteOf(witness), noteOf(witness, lineOf(signer))].map(isSignedNote)).toEqual([false, true]);
  });

  test("is one note of a file", () => {
    const former = signer.sign(checkpointText(checkpoint));
    const several = noteOf(lineOf(signer), witness, lineOf(stranger));
    const one = noteOf(lineOf(signer));
    const torn = `${text.slice(0, 60)}\n\n— memledger torn\n`;
    const notes = [former, several, one, torn, several, former];
    expect(splitNotes(`${notes.join("\n")}\n`)).toEqual(notes);
  });

  test("is none in version 1: a line more makes it malformed, and in a file is a text of its own", () => {
    const former = signer.sign(checkpointText(checkpoint));
    expect(read(former, signer)).toBe(checkpointText(checkpoint));
    expect(read(`${former}${witness}`, signer)).toBeNull();
    expect(isSignedNote(`${former}${witness}`)).toBe(false);
    expect(splitNotes(`${former}${witness}\n${former}`)).toEqual([former, witness, former]);
  });
});

describe("the MAC of an entry", () => {
  const seed = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const pem = createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({
    type: "pkcs8",
    format: "pem",
  });
  const ofVector = createSigner(pem.toString());

  test("is the test vector of the format", () => {
    const mac = ofVector.macOf(checkpoint.chain)(checkpoint.hash);
    expect(Buffer.from(mac).toString("hex")).toBe("f00c7ae01b60c58698ece109d50f65e4");
  });

  test("depends on key, chain and entry", () => {
    const hash = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString("hex"));
    fc.assert(
      fc.property(hash, hash, (chain, entry) => {
        const key = hkdfSync("sha256", der, Buffer.from(chain.slice(0, 32), "hex"), "memledger/mac/v2", 32);
        const expected = createHmac("sha256", Buffer.from(key)).update(Buffer.from(entry, "hex")).digest();
        const macOf = (by: typeof signer, of: string) => Buffer.from(by.macOf(of)(entry)).toString("hex");
        const mac = macOf(ofVector, chain.slice(0, 32));
        expect(mac).toBe(expected.toString("hex", 0, 16));
        expect(macOf(signer, chain.slice(0, 32))).not.toBe(mac);
        expect(macOf(ofVector, checkpoint.chain)).not.toBe(mac);
      }),
    );
  });
});
