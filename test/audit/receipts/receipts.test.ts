// Proves that receipts of records of all kinds verify with the public keys alone, that no changed one does, and that the verifier of the
// documentation, which is written in Python, agrees about each of them.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { treeCheckpointText } from "../../../src/audit/checkpoint.ts";
import { receiptExtra, receiptText } from "../../../src/audit/record-receipt.ts";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { parseTlogProof } from "../../../src/audit/verify/receipts/tlog-proof.ts";
import { verdicts } from "../../../src/audit/verify/verdict.ts";
import { readPolicy } from "../../../src/audit/witness/policy.ts";
import { parseSignedCheckpoint, readSignatureLines } from "../../../src/audit/witness/signed-checkpoint.ts";
import { parseVerifierKeyOf } from "../../../src/audit/witness/verifier-key.ts";
import { browserCryptography } from "../../../src/console/verification/browser-cryptography.ts";
import { testWith } from "../../needs.ts";
import { askOurs, askPython, lacking, publicKeys, reportOf } from "./ask-receipt.ts";
import { ledgerKey, type MadeReceipt, makeReceipts, nextKey, stranger, witness } from "./made-receipts.ts";
import { type ChangedReceipt, changeAll, changeHarmlessly, flipBits, kinds } from "./mutate-receipt.ts";

const receipts = makeReceipts();
const named = (name: string): string => receipts.find((one) => one.name === name)?.text ?? "";
const isWitnessed = ({ text }: MadeReceipt) => text.includes("witness.example");
const codeOf = (receipt: MadeReceipt) => (isWitnessed(receipt) ? verdicts.intact : verdicts.unattested);
const bytesOf = ({ text }: MadeReceipt) => Buffer.from(text);

test.each(receipts.map((receipt) => [receipt.name, receipt] as const))("%s", (_, receipt) => {
  const report = reportOf(receipt.text);
  expect([receipt.name, report.headline.slice(0, 5), verdicts[report.verdict]]).toEqual([
    receipt.name,
    "VALID",
    codeOf(receipt),
  ]);
  expect(reportOf(receipt.text, publicKeys, [witness.verifierKey], browserCryptography)).toEqual(report);
});

describe("what is said", () => {
  const said = (name: string, keys = publicKeys, witnesses = [witness.verifierKey]) => {
    const { proved, notProved, payload, facts } = reportOf(named(name), keys, witnesses);
    return { proved: proved.join("\n"), notProved: notProved.join("\n"), payload, facts };
  };

  test("of a call that a witness has seen", () => {
    const { proved, notProved, payload, facts } = said("many parts, witnessed");
    expect(proved).toContain("memory.create_batch at 2026-11-21T09:30:05.000Z, status 200");
    expect(proved).toContain(
      "The witness witness.example/w1 had this checkpoint at 2026-11-18T11:06:40.000Z",
    );
    expect(notProved).not.toContain("outside");
    expect(payload?.request_body).toEqual({
      memories: [{ content: "tea" }, { content: "Grüße\n😂" }, { content: "tea" }],
      note: null,
    });
    expect(facts).toMatchObject({ seq: 5, leaves: 71, signed_by: [ledgerKey.verifierKey] });
  });

  test("without the key of the witness, that nobody outside has signed it, and who might have", () => {
    const { notProved } = said("many parts, witnessed", publicKeys, [stranger.verifierKey]);
    expect(notProved).toContain("nobody outside has signed this");
    expect(notProved).toContain("signatures of witness.example/w1, which were not checked");
  });

  test("by a policy, whether enough witnesses have signed it", () => {
    const lines = [`witness one ${witness.verifierKey}`, `witness two ${stranger.verifierKey}`];
    const reportBy = (count: string, text = named("many parts, witnessed")) => {
      const file = [...lines, `group both ${count} one two`, "quorum both"].join("\n");
      const policy = readPolicy(file, "the policy", runtimeCryptography);
      const keys = policy.witnesses.map(({ key }) => key.text);
      return reportOf(text, publicKeys, keys, runtimeCryptography, policy);
    };
    expect(reportBy("1").verdict).toBe("intact");
    expect(reportBy("all")).toMatchObject({
      verdict: "unattested",
      headline: "VALID: the ledger has signed this record. Too few witnesses have signed it.",
      notProved: [expect.stringContaining("are not the quorum both"), ...Array(2).fill(expect.any(String))],
    });
    const [head = "", note = ""] = named("many parts, witnessed").split(/(?<=\n\n)(?=memledger\/)/);
    expect(reportBy("all", head + stranger.cosign(note, 1_795_000_001)).verdict).toBe("intact");
  });

  test("of texts that are not there", () => {
    expect(said("withheld parts").payload).toMatchObject({
      request_body: null,
      response_body: expect.anything(),
    });
    expect(said("withheld parts").facts.payload).toBe("6 parts, 2 withheld");
    expect(said("erased parts").facts.payload).toBe("7 parts, 3 without its text");
    expect(said("without the first part").payload).toBeNull();
    expect(said("payload left out").notProved).toContain(
      "What was asked and answered: it is not in the receipt.",
    );
  });

  test("of a key that was changed", () => {
    const valid = (name: string, keys: readonly string[]) => reportOf(named(name), keys).verdict !== "broken";
    expect(valid("both keys", [ledgerKey.verifierKey])).toBe(true);
    expect(valid("both keys", [nextKey.verifierKey])).toBe(true);
    expect(valid("the next key", [nextKey.verifierKey])).toBe(true);
    expect(valid("the next key", [ledgerKey.verifierKey])).toBe(false);
  });
});

/** Those that are not refused, and prove as much as the receipt of which they were made. */
const missed = (changed: readonly ChangedReceipt[]) =>
  changed.filter(({ bytes, from }) => {
    const [now, before] = [reportOf(bytes), reportOf(from.text)];
    return now.verdict === before.verdict && Bun.deepEquals(now.facts, before.facts);
  });

describe("changed receipts", () => {
  const changed = [...changeAll(receipts), ...flipBits(receipts, 300, 1)];
  const ours = askOurs(changed.map(({ bytes }) => bytes));

  test("of every kind are made", () => {
    const made = new Set(changed.map(({ name }) => name.split(": ").slice(0, -1).join(": ")));
    expect(kinds.filter((kind) => !made.has(kind))).toEqual([]);
    expect(changed.length).toBeGreaterThan(1000);
  });

  test("are all found", () => {
    expect(missed(changed).map(({ name }) => name)).toEqual([]);
  });

  const harmless = changeHarmlessly(receipts);

  test("prove as much as before if something was added or left out that nobody has to believe", () => {
    expect(harmless.length).toBeGreaterThan(80);
    for (const { name, bytes, from } of harmless)
      expect([name, reportOf(bytes).verdict]).toEqual([name, reportOf(from.text).verdict]);
  });

  testWith(lacking)("are found by the script of the documentation, too, and both agree about each", () => {
    const honest = receipts.map((from) => ({ name: from.name, bytes: bytesOf(from), from }));
    const all = [...honest, ...harmless, ...changed];
    const codes = [...[...honest, ...harmless].map(({ from }) => codeOf(from)), ...ours];
    const others = askPython(all.map(({ bytes }) => bytes));
    expect(
      all.flatMap(({ name }, at) =>
        codes[at] === others[at] ? [] : [`${name}: ${codes[at]}, ${others[at]}`],
      ),
    ).toEqual([]);
  });
});

test("the receipts of the test vectors have the hashes of the page", () => {
  const read = (path: string) => readFileSync(join(import.meta.dir, path), "utf8");
  const { genesis, records } = JSON.parse(read("../golden/v1/chain.json"));
  const [{ entry_text: entry, payload_text: payload, salt }] = records;
  const page = read("../../../docs/engineer/AUDIT-FORMAT-2.md");
  const hashIn = (name: string) => new RegExp(`^${name} +([0-9a-f]{64})`, "m").exec(page)?.[1] ?? "";
  const inclusion = [Buffer.from(hashIn("node \\(0, 0\\)"), "hex").toString("base64")];
  const root = hashIn("root, 2");
  const note = ledgerKey.sign(treeCheckpointText({ chain: genesis.chain, log: "2", leaves: 2, root }));
  const record = { entry, content: Buffer.from(payload), salt: Buffer.from(salt, "hex") };
  for (const withPayload of [true, false]) {
    const text = receiptText(receiptExtra(record, withPayload), 1, { size: 1, note, inclusion });
    expect(reportOf(text).verdict).toBe("unattested");
    expect(page).toContain(`\n${createHash("sha256").update(text).digest("hex")}\n`);
  }
});

describe("the examples of the standards", () => {
  // Of signed-note.
  const message = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;
  const vkey = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
  // Of tlog-checkpoint.
  const checkpoint = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;

  test("notes have their texts, names, key ids and signatures", () => {
    const end = message.indexOf("\n\n") + 2;
    const [signature] = readSignatureLines(message.slice(end)) ?? [];
    expect([signature?.name, signature?.keyId]).toEqual(["example.com/foo", "530d903a"]);
    const key = parseVerifierKeyOf(vkey, runtimeCryptography);
    const { publicKey = new Uint8Array() } = key ?? {};
    for (const { isSignedBy } of [runtimeCryptography, browserCryptography]) {
      const isSigned = (text: string) =>
        isSignedBy(publicKey, signature?.signature ?? new Uint8Array(), text);
      expect([isSigned("This is an example message.\n"), isSigned("This is another message.\n")]).toEqual([
        true,
        false,
      ]);
    }
    expect(parseSignedCheckpoint(checkpoint)).toMatchObject({
      origin: "example.com/behind-the-sofa",
      size: 20_852_163,
    });
  });

  // Its signatures and its extra data are abbreviated there; the other lines are those of the page.
  const proof = `c2sp.org/tlog-proof@v1
extra YWdlLXYxLjIuMS1kYXJ3aW4tYXJtNjQudGFyLmd6
index 73894
gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=
EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs=
RoopEkOdqkYqMB4MJXrbt/hMjOxsVn0IrWjpz1ZMMes=
AHCioX9nLjsrse6YhjRRmk1WUEirVOLLRoOQ6vfO5vk=

${checkpoint}`;

  test("a proof is parsed", () => {
    const parsed = parseTlogProof(proof);
    expect(parsed).toMatchObject({ index: 73_894, path: { length: 5 }, note: checkpoint });
    expect(Buffer.from(parsed?.extra ?? []).toString()).toBe("age-v1.2.1-darwin-arm64.tar.gz");
    expect(parseTlogProof(proof.replace(/extra .*\n/, ""))).toMatchObject({ extra: null, index: 73_894 });
    expect(parseTlogProof("c2sp.org/tlog-proof@v1\nindex 0\n\n")).toEqual({
      ...{ extra: null, index: 0, path: [], note: "" },
    });
  });
});
