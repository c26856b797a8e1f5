// Holds the code to format version 1 as it was frozen: files that were made once and must come out the same, and verify, for ever.
// A change that needs other files here is a new version of the format.

import { describe, expect, test } from "bun:test";
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import canonicalize from "canonicalize";
import { entryHash, genesisHash, genesisText } from "../../src/audit/chain.ts";
import { anchorText, checkpointText, parseAnchor, parseCheckpoint } from "../../src/audit/checkpoint.ts";
import { payloadHash } from "../../src/audit/parts/payload.ts";
import { createSigner, openNote } from "../../src/audit/signed-note.ts";
import { parseEntry } from "../../src/audit/verify/entry-parser.ts";
import { splitNotes } from "../../src/audit/verify/note.ts";
import { verifyPath } from "../../src/cli/audit/verify.ts";
import type { Json, JsonObject } from "../../src/platform/json/json.ts";

const folder = join(import.meta.dir, "golden/v1");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

/** RFC 8032's favourite kind of secret: the bytes 0 to 31. */
const seed = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const key = createPrivateKey({
  key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
  format: "der",
  type: "pkcs8",
});
const signer = createSigner(key.export({ type: "pkcs8", format: "pem" }).toString());

interface GoldenChain {
  readonly genesis: { chain: string; project: string; at: string; nonce: string };
  readonly genesis_text: string;
  readonly genesis_hash: string;
  readonly records: readonly {
    readonly salt: string;
    readonly payload: JsonObject;
    readonly payload_text: string;
    readonly payload_hash: string;
    readonly entry: JsonObject;
    readonly entry_text: string;
    readonly hash: string;
  }[];
}
const chain: GoldenChain = JSON.parse(read("chain.json"));

describe("canonical JSON, by the samples of RFC 8785", () => {
  const golden: { texts: { text: string; form: string }[]; numbers: { bits: string; form: string }[] } =
    JSON.parse(read("jcs.json"));

  test.each(golden.texts)("$form", ({ text, form }) => {
    const value: Json = JSON.parse(text);
    expect(canonicalize(value)).toBe(form);
  });

  test.each(golden.numbers)("number $form", ({ bits, form }) => {
    expect(canonicalize(Buffer.from(bits, "hex").readDoubleBE())).toBe(form);
  });
});

describe("a chain of three", () => {
  test("genesis", () => {
    expect(genesisText(chain.genesis)).toBe(chain.genesis_text);
    expect(genesisHash(chain.genesis)).toBe(chain.genesis_hash);
  });

  test("payloads, entries, hashes and links", () => {
    let prev = chain.genesis_hash;
    for (const record of chain.records) {
      expect(canonicalize(record.payload)).toBe(record.payload_text);
      expect(payloadHash(Buffer.from(record.salt, "hex"), record.payload_text)).toBe(record.payload_hash);
      expect(canonicalize(record.entry)).toBe(record.entry_text);
      expect(record.entry).toMatchObject({ payload_hash: record.payload_hash, prev });
      expect(entryHash(record.entry_text)).toBe(record.hash);
      expect(parseEntry(record.entry_text)).toMatchObject({
        id: record.entry.id,
        payloadHash: record.payload_hash,
      });
      prev = record.hash;
    }
  });
});

describe("signed texts", () => {
  const hash = chain.records[2]?.hash ?? "";

  test("the verifier key", () => {
    expect(`${signer.verifierKey}\n`).toBe(read("audit.pub"));
  });

  test("a checkpoint", () => {
    const text = openNote(read("checkpoint.note"), signer.verifierKey) ?? "";
    const checkpoint = parseCheckpoint(text);
    expect(checkpoint).toEqual({
      chain: chain.genesis.chain,
      size: 3,
      hash,
      at: Date.parse("2026-11-21T09:31:00.000Z"),
    });
    expect(checkpoint === null ? "" : signer.sign(checkpointText(checkpoint))).toBe(read("checkpoint.note"));
  });

  test("a file of checkpoints", () => {
    const sizes = splitNotes(read("checkpoints.notes")).map(
      (note) => parseCheckpoint(openNote(note, signer.verifierKey) ?? "")?.size,
    );
    expect(sizes).toEqual([0, 2, 3]);
  });

  test("an anchor", () => {
    const anchor = parseAnchor(openNote(read("anchor.note"), signer.verifierKey) ?? "");
    expect(anchor).toMatchObject({ through: 2, hash: chain.records[1]?.hash, count: 2, cause: "retention" });
    expect(anchor === null ? "" : signer.sign(anchorText(anchor))).toBe(read("anchor.note"));
  });

  test.each(["json", "csv"])("an export in %s with its manifest", async (format) => {
    const manifest = read(`export.${format}.manifest`);
    expect(signer.sign(openNote(manifest, signer.verifierKey) ?? "")).toBe(manifest);
    const { finding } = await verifyPath(join(folder, `export.${format}`), {
      checkpoints: [join(folder, "checkpoints.notes")],
      publicKey: join(folder, "audit.pub"),
      project: null,
    });
    expect(finding).toMatchObject({
      verdict: "intact",
      records: 3,
      chains: [{ coveredThrough: 3, withoutPayload: 1 }],
    });
  });
});

test("the page that defines the format shows these bytes", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/engineer/AUDIT-FORMAT.md"), "utf8");
  const [first] = chain.records;
  for (const text of [
    chain.genesis_text,
    chain.genesis_hash,
    first?.salt,
    first?.payload_text,
    first?.payload_hash,
  ]) {
    expect(page).toContain(text ?? "?");
  }
  for (const text of [first?.entry_text, first?.hash, read("checkpoint.note"), read("audit.pub")]) {
    expect(page).toContain(text ?? "?");
  }
});
