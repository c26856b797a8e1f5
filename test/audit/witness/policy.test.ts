// Policies as C2SP tlog-policy describes them, and cosignatures with ML-DSA-44, which only others make.

import { describe, expect, test } from "bun:test";
import { generateKeyPairSync, sign } from "node:crypto";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { createSigningKey } from "../../../src/audit/signed-note.ts";
import { checkSignatures, cosignatureLine } from "../../../src/audit/witness/cosignature.ts";
import { createCosigner } from "../../../src/audit/witness/cosigner.ts";
import { readPolicy } from "../../../src/audit/witness/policy.ts";
import { parseSignedCheckpoint } from "../../../src/audit/witness/signed-checkpoint.ts";
import { parseVerifierKeyOf, toVerifierKeyOf } from "../../../src/audit/witness/verifier-key.ts";
import { makeLog } from "./made-log.ts";

const keys = ["X1", "X2", "X3", "Y1", "Y2"].map(
  (name) => createCosigner(`witness.example/${name}`, createSigningKey()).verifierKey.text,
);
const [x1 = "", x2 = "", x3 = "", y1 = "", y2 = ""] = keys;
const log = makeLog("example.com/log").key.text;
const read = (file: string) => readPolicy(file, "policy", runtimeCryptography);
const witnesses = `witness X1 ${x1}\nwitness X2\t${x2} https://x2.example/\n witness X3 ${x3}\nwitness Y1 ${y1}\nwitness Y2 ${y2}\n`;

test("the example of the standard: two of the first group, and any of the second", () => {
  const policy = read(
    `# who we trust\nlog ${log} https://example.com/\n\n${witnesses}group X 2 X1 X2 X3\ngroup Y any Y1 Y2\ngroup both all X Y\nquorum both\n`,
  );
  expect([policy.logs.length, policy.witnesses.length, policy.quorum]).toEqual([1, 5, "both"]);
  const isReached = (...signers: string[]) => policy.isReached(new Set(signers));
  expect(isReached(x1, x3, y2)).toBe(true);
  expect(isReached(x1, y1, y2)).toBe(false);
  expect(isReached(x1, x2, x3)).toBe(false);
  expect(isReached()).toBe(false);
});

test("a quorum of none needs nobody, and one of a witness needs that one", () => {
  expect(read("quorum none\n").isReached(new Set())).toBe(true);
  const one = read(`witness X1 ${x1}\nquorum X1`);
  expect([one.isReached(new Set([x1])), one.isReached(new Set([x2]))]).toEqual([true, false]);
});

describe("a policy is refused", () => {
  test.each([
    ["no quorum", witnesses, "no quorum line"],
    ["two quorums", "quorum none\nquorum none", "line 2"],
    ["a name that is not defined yet", "quorum X1\n", "line 1: names X1"],
    [
      "a name that is defined twice",
      `witness a ${x1}\nwitness a ${x2}\nquorum none`,
      "line 2: defines the name a",
    ],
    ["the name none", `witness none ${x1}\nquorum none`, "line 1: defines the name none"],
    [
      "a witness of which the key is there",
      `witness a ${x1}\nwitness b ${x1}\nquorum none`,
      "line 2: names a witness",
    ],
    ["a log of which the key is there", `log ${log}\nlog ${log}\nquorum none`, "line 2: names a log"],
    ["a member of two groups", `${witnesses}group a any X1\ngroup b any X1\nquorum b`, "line 7: names X1"],
    ["a member twice", `${witnesses}group a 1 X1 X1\nquorum a`, "line 6: names X1"],
    ["more than there are", `${witnesses}group a 3 X1 X2\nquorum a`, "line 6: must be"],
    ["none of them", `${witnesses}group a 0 X1 X2\nquorum a`, "line 6: must be"],
    ["the key of a log as a witness", `witness a ${log}\nquorum a`, "line 1: must be"],
    ["the key of a witness as a log", `log ${x1}\nquorum none`, "line 1: must be"],
    [
      "a key with another id",
      `witness a ${x1.replace(/\+[0-9a-f]{8}\+/, "+00000000+")}\nquorum a`,
      "line 1: must be",
    ],
    ["an unknown word", "weigh X1\nquorum none", "line 1: begins with weigh"],
    ["a carriage return", "quorum none\r\n", "line 1: has a control character"],
  ])("%s", (_, file, message) => {
    expect(() => read(file)).toThrow(message);
  });
});

test("a cosignature with ML-DSA-44 is of the tree, the log, the witness and the time", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ml-dsa-44");
  const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-1312);
  const made = makeLog("example.com/log");
  const checkpoint = parseSignedCheckpoint(made.checkpoint(7));
  if (checkpoint === null) throw new Error("malformed");
  const key = toVerifierKeyOf("witness.example/pq", "mlDsa44Cosignature", raw, runtimeCryptography);
  expect(parseVerifierKeyOf(key.text, runtimeCryptography)).toMatchObject({ id: key.id, type: key.type });
  const number = (value: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(value));
    return bytes;
  };
  const sized = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  const cosign = (name: string, seconds: number, size: number) => {
    const parts = [sized(name), number(seconds), sized("example.com/log"), number(0), number(size)];
    const message = Buffer.concat([Buffer.from("subtree/v1\n\0"), ...parts, checkpoint.root]);
    return cosignatureLine(key, seconds, sign(null, message, privateKey));
  };
  const check = (line: string) => {
    const parsed = parseSignedCheckpoint(`${made.checkpoint(7)}${line}\n`);
    return parsed === null ? null : checkSignatures(parsed, [key], runtimeCryptography);
  };
  expect(check(cosign("witness.example/pq", 1_700_000_000, 7))?.valid).toMatchObject([
    { at: 1_700_000_000_000 },
  ]);
  expect(check(cosign("witness.example/other", 1_700_000_000, 7))?.invalid).toHaveLength(1);
  expect(check(cosign("witness.example/pq", 1_700_000_000, 8))?.invalid).toHaveLength(1);
  expect(check(cosign("witness.example/pq", 0, 7))?.invalid).toHaveLength(1);
});
