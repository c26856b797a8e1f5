// What a witness decides: it cosigns what continues its last state, and answers everything else with the status of C2SP tlog-witness.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { createSigner, createSigningKey } from "../../../src/audit/signed-note.ts";
import { createTreeHasher } from "../../../src/audit/tree.ts";
import type { TreeRoot } from "../../../src/audit/verify/tree-paths.ts";
import { addCheckpointBody, parseKnownSize } from "../../../src/audit/witness/add-checkpoint.ts";
import { checkSignatures } from "../../../src/audit/witness/cosignature.ts";
import { createCosigner } from "../../../src/audit/witness/cosigner.ts";
import { readSubmission, refusalOf } from "../../../src/audit/witness/decision.ts";
import { parseSignedCheckpoint } from "../../../src/audit/witness/signed-checkpoint.ts";
import { parseVerifierKeyOf, type VerifierKey } from "../../../src/audit/witness/verifier-key.ts";
import { naiveRoot, sha256 } from "../naive-tree.ts";
import { type MadeLog, makeLog } from "./made-log.ts";

const hasher = createTreeHasher(runtimeCryptography);
const text = (body: Uint8Array) => new TextDecoder().decode(body);
const bytes = (body: string) => new TextEncoder().encode(body);

/** The status of the answer. @param known the size that was cosigned last */
function statusOf(body: Uint8Array, log: MadeLog, known = 0, keys: readonly VerifierKey[] = [log.key]) {
  const submission = readSubmission(body, keys, runtimeCryptography);
  if ("status" in submission) return submission.status;
  const state: TreeRoot | null = known === 0 ? null : parseSignedCheckpoint(log.checkpoint(known));
  return refusalOf(submission, state, hasher, naiveRoot([]))?.status ?? 200;
}

test("any two sizes of a log are consistent, and only with the proof between them", () => {
  const log = makeLog();
  for (let to = 1; to <= 40; to++)
    for (let from = 0; from <= to; from++) {
      expect(statusOf(log.request(from, to), log, from)).toBe(200);
      if (from > 0 && from < to)
        expect(statusOf(bytes(addCheckpointBody(from, [], log.checkpoint(to))), log, from)).toBe(422);
    }
});

test("no request of which a bit was flipped is cosigned", () => {
  const log = makeLog();
  const sizes = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 40 })).filter(([from, to]) => from <= to);
  fc.assert(
    fc.property(sizes, fc.nat(), ([from, to], at) => {
      const body = log.request(from, to);
      const bit = at % (8 * body.length);
      body[bit >> 3] = (body[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(statusOf(body, log, from)).not.toBe(200);
    }),
    { numRuns: 2_000 },
  );
});

describe("what is refused", () => {
  const log = makeLog();
  const other = makeLog(log.origin, "other");
  const body = (from: number, to: number, change: (body: string) => string) =>
    bytes(change(text(log.request(from, to))));
  test.each<[string, number, Uint8Array, number]>([
    ["another old size than the last one", 409, log.request(3, 9), 4],
    ["an old size, and nothing was cosigned", 409, log.request(3, 9), 0],
    ["no old size, and something was cosigned", 409, log.request(0, 9), 4],
    ["an old size above that of the checkpoint", 400, body(3, 9, (one) => one.replace("old 3", "old 10")), 3],
    ["an old size with a leading zero", 400, body(3, 9, (one) => one.replace("old 3", "old 03")), 3],
    [
      "a proof from nothing",
      422,
      body(0, 9, (one) => one.replace("\n\n", `\n${log.consistency(3, 9)[0]}\n\n`)),
      0,
    ],
    [
      "64 lines of proof",
      400,
      body(0, 9, (one) => one.replace("\n\n", `${`\n${log.consistency(3, 9)[0]}`.repeat(64)}\n\n`)),
      0,
    ],
    ["a proof line that is not a hash", 400, body(3, 9, (one) => one.replace("\n", "\nAAAA\n")), 3],
    ["no empty line", 400, bytes("old 0\n"), 0],
    ["nothing", 400, new Uint8Array(), 0],
    ["bytes that are not UTF-8", 400, Uint8Array.of(0xff, 0x0a, 0x0a), 0],
    ["the signature of a key that is not known", 403, other.request(0, 9), 0],
    ["a signature that is not valid", 403, body(0, 9, (one) => one.replace("\n9\n", "\n8\n")), 0],
    ["the same size with another root", 422, bytes(addCheckpointBody(9, [], log.checkpoint(9))), 9],
  ])("%s: %d", (name, status, request, known) => {
    const state = name.includes("another root") ? { ...log, checkpoint: other.checkpoint } : log;
    expect(statusOf(request, state, known, [log.key])).toBe(status);
  });

  test("a log that is not known: 404", () => {
    expect(statusOf(makeLog("example.com/log").request(0, 1), log, 0, [log.key])).toBe(404);
  });

  test("one valid signature beside one that is not: 403", () => {
    const named = text(log.request(0, 9));
    const key = parseVerifierKeyOf(createSigner(createSigningKey()).verifierKey, runtimeCryptography);
    const wrong = `— memledger ${Buffer.concat([Buffer.from(log.key.id, "hex"), new Uint8Array(64)]).toString("base64")}\n`;
    expect(statusOf(bytes(named + wrong), log)).toBe(403);
    const unknown = `— memledger ${Buffer.concat([Buffer.from(key?.id ?? "", "hex"), new Uint8Array(64)]).toString("base64")}\n`;
    expect(statusOf(bytes(named + unknown), log)).toBe(200);
  });

  test("an empty tree with another root than that of nothing: 422", () => {
    const empty = makeLog("example.com/empty");
    expect(statusOf(empty.request(0, 0), empty)).toBe(200);
    const submission = readSubmission(empty.request(0, 0), [empty.key], runtimeCryptography);
    if ("status" in submission) throw new Error(submission.message);
    expect(refusalOf(submission, null, hasher, sha256(bytes("x")))?.status).toBe(422);
  });
});

test("a key of a memledger signs the logs of its chains only, with its own name or theirs", () => {
  const log = makeLog();
  expect(statusOf(log.request(0, 5), log)).toBe(200);
  const foreign = makeLog("example.com/log");
  expect(statusOf(foreign.request(0, 5), log, 0, [log.key])).toBe(404);
  expect(statusOf(foreign.request(0, 5), foreign)).toBe(200);
  expect(statusOf(log.request(0, 5), log, 0, [foreign.key])).toBe(404);
});

test("a cosignature names its time, and is of one text, one time and one key", () => {
  const witness = createCosigner("witness.example/w1", createSigningKey());
  const note = makeLog("example.com/log").checkpoint(7);
  const checkpoint = parseSignedCheckpoint(note);
  if (checkpoint === null) throw new Error("malformed");
  const at = Date.parse("2026-11-28T14:00:00.000Z");
  const cosigned = `${note}${witness.cosign(checkpoint.text, at + 999)}\n`;
  const check = (one: string, keys: readonly VerifierKey[] = [witness.verifierKey]) => {
    const parsed = parseSignedCheckpoint(one);
    return parsed === null ? null : checkSignatures(parsed, keys, runtimeCryptography);
  };
  expect(check(cosigned)?.valid).toMatchObject([{ at, key: { name: "witness.example/w1" } }]);
  expect(check(note)).toEqual({ valid: [], invalid: [] });
  expect(check(cosigned.replace("\n7\n", "\n8\n"))?.invalid).toHaveLength(1);
  expect(
    check(cosigned, [createCosigner("witness.example/w1", createSigningKey()).verifierKey])?.valid,
  ).toEqual([]);
  const line = Buffer.from(cosigned.trimEnd().split(" ").at(-1) ?? "", "base64");
  line.writeUInt8((line[11] ?? 0) ^ 1, 11);
  const later = cosigned.replace(/\S+\n$/, `${line.toString("base64")}\n`);
  expect(check(later)?.invalid).toHaveLength(1);
  expect(parseKnownSize("12\n")).toBe(12);
  expect(["12", "012\n", "-1\n", "\n", "9007199254740993\n"].map(parseKnownSize)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});
