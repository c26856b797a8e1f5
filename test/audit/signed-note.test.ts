// Tests notes of format version 2: checkpoints with the root of the tree, the signature lines of several keys, and the MACs of entries. Notes of
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

const chain = "0193a5c0000070008000000000000001";
const entryHash = "685506ae152bf134b7f0e08063480a1cb67714b1b2f5004b339accf2abac0313";
const checkpoint: TreeCheckpoint = {
  chain,
  log: "2",
  leaves: 2,
  root: "9588b988ac5b5d13f243480fe9835c06f1cd50c78dce2dc6bbd2c97479413b20",
};
const previousCheckpoint = { chain, size: 1, hash: entryHash, at: Date.parse("2026-11-21T09:31:00.000Z") };
const text = treeCheckpointText(checkpoint);
const [signer, successor, stranger] = [
  createSigner(createSigningKey()),
  createSigner(createSigningKey()),
  createSigner(createSigningKey()),
];

const lineOf = ({ sign }: typeof signer, of = text) => sign(of).slice(of.length + 1);
/** A cosignature: other name, other length. */
const witness = `— witness.example/w1 ${Buffer.alloc(76, 7).toString("base64")}\n`;
const changed = (line: string, change: (bytes: Buffer) => Buffer) => {
  const [, , encoded = ""] = line.split(" ");
  return `— memledger ${change(Buffer.from(encoded, "base64")).toString("base64")}\n`;
};
const forged = (line: string) =>
  changed(line, (bytes) => Buffer.from(bytes.map((byte, index) => (index === 20 ? byte ^ 1 : byte))));
const shortened = (line: string) => changed(line, (bytes) => bytes.subarray(0, -1));
const noteOf = (...lines: string[]) => `${text}\n${lines.join("")}`;
const readerOf = (signers: readonly (typeof signer)[]) =>
  createNoteReader(
    signers.map(({ verifierKey }) => verifierKey),
    runtimeCryptography,
  );
const read = (note: string, ...signers: (typeof signer)[]) => readerOf(signers).open(note);

describe("a checkpoint of version 2", () => {
  test("has the form of a tlog-checkpoint without extension lines", () => {
    expect(text).toBe(
      [
        "memledger/0193a5c0000070008000000000000001/2",
        "2",
        Buffer.from(checkpoint.root, "hex").toString("base64"),
        "",
      ].join("\n"),
    );
  });

  test("is read as it was written, and by the reader of its version only", () => {
    const hash = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString("hex"));
    const id = hash.map((each) => each.slice(0, 32));
    const made = fc.record({
      chain: id,
      log: fc.oneof(fc.constant("2"), id),
      leaves: fc.maxSafeNat().filter((leaves) => leaves > 0),
      root: hash,
    });
    fc.assert(
      fc.property(made, (each) => {
        expect(parseTreeCheckpoint(treeCheckpointText(each))).toEqual(each);
        expect(parseCheckpoint(treeCheckpointText(each))).toBeNull();
      }),
    );
    expect(parseTreeCheckpoint(checkpointText(previousCheckpoint))).toBeNull();
  });

  test.each([
    ["no leaf", text.replace("\n2\n", "\n0\n")],
    ["a number that is written differently", text.replace("\n2\n", "\n02\n")],
    ["a number that a double cannot hold", text.replace("\n2\n", "\n9007199254740993\n")],
    ["a root with unused bits", text.replace("OyA=\n", "OyB=\n")],
    ["another line", `${text}more\n`],
    ["no root", text.replace(/[^\n]+\n$/, "")],
    ["another log", text.replace("/2\n", "/3\n")],
    ["a log of 31 characters", text.replace("/2\n", `/${chain.slice(1)}\n`)],
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

  test("tells all accepted keys that have signed it", () => {
    const signersOf = (note: string, ...signers: (typeof signer)[]) => readerOf(signers).signersOf(note);
    const both = noteOf(lineOf(stranger), lineOf(successor), witness, lineOf(signer));
    expect(signersOf(both, signer, successor).toSorted()).toEqual(
      [signer.verifierKey, successor.verifierKey].toSorted(),
    );
    expect(signersOf(both, signer)).toEqual([signer.verifierKey]);
    expect(signersOf(noteOf(lineOf(successor), witness), signer, successor)).toEqual([successor.verifierKey]);
    expect(signersOf(noteOf(lineOf(signer), lineOf(signer)), signer)).toEqual([signer.verifierKey]);
    expect(signersOf(noteOf(lineOf(stranger)), signer)).toEqual([]);
    expect(signersOf(noteOf(lineOf(signer), forged(lineOf(successor))), signer, successor)).toEqual([]);
  });

  test("is not opened without a line of an accepted key, or if one of an accepted key is not valid", () => {
    expect(read(noteOf(witness), signer)).toBeNull();
    expect(read(noteOf(witness, lineOf(stranger)), signer)).toBeNull();
    const [good, bad, short] = [lineOf(signer), forged(lineOf(signer)), shortened(lineOf(signer))];
    for (const invalid of [bad, short])
      for (const lines of [[invalid], [invalid, good], [good, invalid], [good, witness, invalid]])
        expect(read(noteOf(...lines), signer)).toBeNull();
    expect(read(noteOf(bad, lineOf(successor)), successor, signer)).toBeNull();
    expect(read(noteOf(lineOf(successor), bad), successor, signer)).toBeNull();
    expect(read(noteOf(lineOf(successor), bad), successor)).toBe(text);
    expect(read(noteOf(lineOf(signer), shortened(lineOf(stranger))), signer)).toBe(text);
    expect(read(noteOf(lineOf(signer, `${text}more\n`), witness), signer)).toBeNull();
    expect([noteOf(witness), noteOf(witness, good), noteOf(short)].map(isSignedNote)).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("may be of the log of an accepted loss", () => {
    const other = treeCheckpointText({ ...checkpoint, log: entryHash.slice(0, 32) });
    const note = `${other}\n${lineOf(signer, other)}${witness}`;
    expect(read(note, signer)).toBe(other);
    expect(splitNotes(`${note}\n${note}`)).toEqual([note, note]);
  });

  test("is one note of a file", () => {
    const former = signer.sign(checkpointText(previousCheckpoint));
    const several = noteOf(lineOf(signer), witness, lineOf(stranger));
    const one = noteOf(lineOf(signer));
    const torn = `${text.slice(0, 60)}\n\n— memledger torn\n`;
    const notes = [former, several, one, torn, several, former];
    expect(splitNotes(`${notes.join("\n")}\n`)).toEqual(notes);
  });

  test("is none in version 1: a line more makes it malformed, and in a file is a text of its own", () => {
    const former = signer.sign(checkpointText(previousCheckpoint));
    expect(read(former, signer)).toBe(checkpointText(previousCheckpoint));
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
    const mac = ofVector.macOf(chain)(entryHash);
    expect(Buffer.from(mac).toString("hex")).toBe("65b237dcff641f6821b43721cbf27914");
  });

  test("depends on key, chain and entry", () => {
    const hash = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString("hex"));
    fc.assert(
      fc.property(hash, hash, (other, entry) => {
        const of = other.slice(0, 32);
        const key = hkdfSync("sha256", seed, Buffer.from(of, "hex"), "memledger/mac/v2", 32);
        const expected = createHmac("sha256", Buffer.from(key)).update(Buffer.from(entry, "hex")).digest();
        const macOf = (by: typeof signer, id = of) => Buffer.from(by.macOf(id)(entry)).toString("hex");
        const mac = macOf(ofVector);
        expect(mac).toBe(expected.toString("hex", 0, 16));
        expect(macOf(signer)).not.toBe(mac);
        expect(macOf(ofVector, chain)).not.toBe(mac);
      }),
    );
  });
});
