// Time stamps, answers and requests whose bytes were changed: each is refused, or states the same. Nothing throws, and nothing takes long.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ReadCertificate, readPem } from "../../../src/audit/timestamp/certificates.ts";
import { createRequest, readRequest, type TimeStampRequest } from "../../../src/audit/timestamp/request.ts";
import { readResponse } from "../../../src/audit/timestamp/response.ts";
import { stampedBy, type TimeStamp, verifyToken } from "../../../src/audit/timestamp/token.ts";
import { describeWith, program } from "../../needs.ts";
import { createTestAuthority, infoIn, rsa } from "./authority.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-stamps-"));
afterAll(() => rmSync(folder, { recursive: true }));

const text =
  "memledger/0193a5c0000070008000000000000001/2\n2\nlYi5iKxbXRPyQ0gP6YNcBvHNUMeNzi3Ga71jx5eUE7I=\n";

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = bytes.slice();
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

/** About as many bits of them, everywhere. The distance is odd, so that all bits of a byte have their turn. */
function bitsOf(bytes: Uint8Array, count: number): number[] {
  const step = Math.floor((8 * bytes.length) / count) | 1;
  return Array.from({ length: Math.floor((8 * bytes.length) / step) }, (_, index) => index * step);
}

describeWith(program("openssl"))("changed bytes", () => {
  let roots: readonly ReadCertificate[];
  let requestBytes: Uint8Array;
  let request: TimeStampRequest;
  let answer: Uint8Array;
  let token: Uint8Array;
  let stamp: TimeStamp;
  const verified = (bytes: Uint8Array, asked = request) =>
    verifyToken(bytes, text, { request: asked, roots });
  beforeAll(async () => {
    const authority = createTestAuthority(join(folder, "authority"), { key: rsa });
    roots = readPem(readFileSync(authority.root, "utf8")) ?? [];
    requestBytes = await createRequest(text);
    request = readRequest(requestBytes) ?? { imprint: "", nonce: null, policy: null };
    answer = authority.answer(requestBytes);
    token = readResponse(answer) as Uint8Array;
    stamp = (await verified(token)) as TimeStamp;
  });

  test("of a token", async () => {
    const { offset, length } = signedBytes();
    const accepted = [];
    const bits = bitsOf(token, 400);
    for (const bit of bits) {
      const found = await verified(flipped(token, bit));
      if (typeof found !== "string") accepted.push({ bit, found });
    }
    expect(accepted.filter(({ found }) => !Bun.deepEquals(found, stamp))).toEqual([]);
    const isSigned = ({ bit }: { bit: number }) => bit >= 8 * offset && bit < 8 * (offset + length);
    expect(accepted.filter(isSigned)).toEqual([]);
    expect(accepted.length).toBeLessThan(bits.length / 4);
  });

  /** Where the token has its TSTInfo. */
  function signedBytes(): { offset: number; length: number } {
    const info = infoIn(token, folder);
    return { offset: Buffer.from(token).indexOf(info), length: info.length };
  }

  test("of an answer around its token", async () => {
    for (const bit of bitsOf(answer.subarray(0, answer.length - token.length), 100)) {
      const found = readResponse(flipped(answer, bit));
      if (typeof found !== "string") expect(found).toEqual(token);
    }
  });

  test("of a request: no other one accepts the token", async () => {
    for (const bit of bitsOf(requestBytes, 200)) {
      const read = readRequest(flipped(requestBytes, bit));
      if (read !== null && !Bun.deepEquals(read, request)) expect(await verified(token, read)).toBeString();
    }
  });

  test("of the text", async () => {
    for (const bit of bitsOf(new TextEncoder().encode(text), 100)) {
      const other = new TextDecoder("latin1").decode(flipped(new TextEncoder().encode(text), bit));
      expect(await verifyToken(token, other, { request: null, roots })).toBeString();
    }
  });

  test("that were cut off, or have more behind them", async () => {
    for (let length = 0; length < token.length; length++)
      expect(await verified(token.subarray(0, length))).toBeString();
    for (let length = 0; length < answer.length; length++)
      expect(readResponse(answer.subarray(0, length))).toBeString();
    expect(await verified(Buffer.concat([token, new Uint8Array(1)]))).toBeString();
    expect(readResponse(Buffer.concat([answer, answer]))).toBeString();
  });

  test("with huge lengths, depths and numbers of values", async () => {
    const bytes = (...parts: readonly (readonly number[] | Uint8Array)[]) =>
      Uint8Array.from(parts.flatMap((part) => [...part]));
    const hostile = [
      bytes([0x30, 0x84, 0xff, 0xff, 0xff, 0xff], token),
      bytes([0x30, 0x88, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], token),
      bytes([0x30, 0xff], new Uint8Array(127).fill(0xff)),
      bytes(new Uint8Array(100_000).fill(0x30)),
      bytes(Array.from({ length: 100_000 }, (_, index) => (index % 2 === 0 ? 0x30 : 0x80))),
      bytes([0x30, 0x83, 0x03, 0x00, 0x00], new Uint8Array(0x30000).fill(0x05)),
      new Uint8Array(0x30004).fill(0),
      new Uint8Array(5_000_000).fill(0x30),
    ];
    const began = performance.now();
    for (const one of hostile) {
      expect(await verified(one)).toBeString();
      expect(readResponse(one)).toBeString();
      expect(readRequest(one)).toBeNull();
      expect(stampedBy(one)).toBeNull();
    }
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test("of PEM files", () => {
    expect(readPem("")).toBeNull();
    expect(readPem("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n")).toBeNull();
    expect(readPem("-----BEGIN CERTIFICATE-----\n%%%\n-----END CERTIFICATE-----\n")).toBeNull();
  });
});
