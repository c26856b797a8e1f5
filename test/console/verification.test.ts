// Proves that the verification of the browser says what `memledger audit verify` says: of every forged export, of random changes, and of
// signatures.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { createSigner, createSigningKey } from "../../src/audit/signed-note.ts";
import { browserCryptography } from "../../src/console/verification/browser-cryptography.ts";
import { kindOf } from "../../src/console/verification/input-files.ts";
import { verifyInput } from "../../src/console/verification/verify-export.ts";
import { verifyReceiptFile } from "../../src/console/verification/verify-receipt.ts";
import { writeExport } from "../audit/exported.ts";
import { type Base, buildBase, type Specimen } from "../audit/forge.ts";
import { forgeExports } from "../audit/forge-export.ts";
import { publicKeys, reportOf } from "../audit/receipts/ask-receipt.ts";
import { makeReceipts, stranger, witness } from "../audit/receipts/made-receipts.ts";
import { outcomeInBrowser, type Supplied, saidByCommand, saidInBrowser } from "./differential.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-browser-"));
let base: Base;
let specimens: readonly Specimen[];

beforeAll(() => {
  base = buildBase(join(folder, "honest"));
  specimens = forgeExports(base, folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the browser and the command say the same", () => {
  test("of every forged export, to the words of the first failure", async () => {
    expect(specimens.length).toBeGreaterThan(100);
    for (const specimen of specimens) {
      const said = await saidInBrowser(specimen);
      expect({ name: specimen.name, ...said }).toEqual({
        name: specimen.name,
        ...(await saidByCommand(specimen)),
      });
      expect([specimen.name, said.verdict, said.failure?.seq ?? null]).toEqual([
        specimen.name,
        specimen.verdict,
        specimen.seq,
      ]);
    }
  });

  test("a checkpoint that is later than an export is no missing one, and says what to do", async () => {
    const chain = base.ledger.chains[1];
    if (chain === undefined) throw new Error("no such chain");
    const path = writeExport(base.ledger, chain, {
      format: "json",
      first: 1,
      last: 11,
      name: "earlier.json",
    });
    const supplied = { path, checkpoints: [base.outside], publicKey: base.publicKey };
    const { headline, remarks, verdict } = await outcomeInBrowser(supplied);
    expect(verdict).toBe("unattested");
    expect(headline).not.toContain("missing");
    expect(remarks.join()).toMatch(/was signed after record \d+, and this export ends with record 11/);
    expect(await saidInBrowser(supplied)).toEqual(await saidByCommand(supplied));
  });

  test.each(["json", "csv"] as const)("of any change of the bytes of an export in %s", async (format) => {
    const chain = base.ledger.chains[1];
    if (chain === undefined) throw new Error("no such chain");
    const path = writeExport(base.ledger, chain, {
      format,
      first: 11,
      last: 44,
      name: `changed.${format}`,
    });
    const honest = readFileSync(path);
    const manifest = readFileSync(`${path}.manifest`);
    const supplied = { path, checkpoints: [base.outside], publicKey: base.publicKey };
    const change = fc.record({
      isManifest: fc.boolean(),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      removed: fc.integer({ min: 0, max: 3 }),
      added: fc.oneof(
        fc.uint8Array({ maxLength: 4 }),
        fc
          .constantFrom("\n", '"', ",", "9".repeat(400), '"seq":1,', "\ufeff", "\r\n", "{}", "]")
          .map(Buffer.from),
      ),
      chunkBytes: fc.constantFrom(1, 7, 4_096, 1_000_000),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ isManifest, at, removed, added, chunkBytes }) => {
        const splice = (bytes: Buffer) => {
          const start = Math.floor(at * bytes.length);
          return Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start + removed)]);
        };
        writeFileSync(path, isManifest ? honest : splice(honest));
        writeFileSync(`${path}.manifest`, isManifest ? splice(manifest) : manifest);
        const said = await saidInBrowser(supplied, chunkBytes);
        expect(said).toEqual(await saidByCommand(supplied));
        const isChanged =
          !readFileSync(path).equals(honest) || !readFileSync(`${path}.manifest`).equals(manifest);
        expect(said.verdict === "intact").toBe(!isChanged);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a receipt of a record", () => {
  const verify = (text: string, publicKey: string | null, policy: string | null = null) =>
    verifyReceiptFile(new TextEncoder().encode(text), {
      policy: policy === null ? null : { name: "policy", text: policy },
      name: "a receipt",
      publicKey,
      rotations: "",
      remarks: [],
    });

  test("is told of as by the command, with the keys of witnesses among the public keys", () => {
    const keys = [...publicKeys, witness.verifierKey].join("\n");
    for (const { text } of makeReceipts()) {
      const { verdict, headline, receipt } = verify(text, keys);
      expect([verdict, headline]).toEqual([reportOf(text).verdict, reportOf(text).headline]);
      expect(receipt?.proved).toEqual(reportOf(text).proved);
    }
  });

  test("is judged by a policy", () => {
    const cosigned = makeReceipts().find(({ text }) => reportOf(text).verdict === "intact")?.text ?? "";
    const lines = (quorum: number) =>
      `witness one ${witness.verifierKey}\nwitness two ${stranger.verifierKey}\ngroup both ${quorum} one two\nquorum both\n`;
    const own = publicKeys.join("\n");
    expect(verify(cosigned, own, lines(1)).verdict).toBe("intact");
    expect(verify(cosigned, own, lines(2))).toMatchObject({
      verdict: "unattested",
      headline: expect.stringContaining("Too few witnesses"),
    });
    expect(verify(cosigned, own, "quorum nobody\n")).toMatchObject({
      verdict: "unusable",
      failures: [expect.stringContaining("policy, line 1")],
    });
  });

  test("needs the public key of the ledger", () => {
    const [one] = makeReceipts();
    for (const keys of [null, "", witness.verifierKey])
      expect(verify(one?.text ?? "", keys)).toMatchObject({
        verdict: "unusable",
        failures: [expect.stringContaining("Add the public key of the ledger.")],
      });
    expect(verify(one?.text ?? "", "memledger+nothing").verdict).toBe("unusable");
    expect(verify(`${one?.text}x`, publicKeys[0] ?? "").verdict).toBe("broken");
  });
});

describe("what a person supplies", () => {
  const honest = (): Supplied => {
    const found = specimens.find(({ name }) => name === "export-honest.json");
    if (found === undefined) throw new Error("no such export");
    return found;
  };

  test("without a public key or a manifest nothing is verified, and the message says what to add", async () => {
    const { verdict, failures } = await outcomeInBrowser({ ...honest(), publicKey: null });
    expect(verdict).toBe("unusable");
    expect(failures.join()).toContain("Add the public key");
    const missing = specimens.find(({ name }) => name === "export-manifest-missing.json");
    const without = await outcomeInBrowser(missing ?? honest());
    expect(without.failures.join()).toContain("add the file export-manifest-missing.json.manifest");
  });

  test("a checkpoint of another installation is named, and so is a key that was given as a checkpoint", async () => {
    const other = createSigner(createSigningKey());
    const path = join(folder, "other.notes");
    const [text = ""] = readFileSync(base.outside, "utf8").split("\n\n");
    writeFileSync(path, other.sign(`${text}\n`));
    const outcome = await outcomeInBrowser({ ...honest(), checkpoints: [path] });
    expect([outcome.verdict, outcome.report?.failure?.check]).toEqual(["broken", "signature"]);
    expect(outcome.advice).toContain('the field "Public key"');
    expect(outcome.advice).not.toContain("--");
    const key = await outcomeInBrowser({ ...honest(), checkpoints: [base.publicKey] });
    expect(key.failures.join()).toContain('use the field "Public key" for it');
  });

  test.each([
    [30, "The 10 records from 31 to 40 are missing: they were removed"],
    [39, "Record 40 is missing: it was removed"],
  ])(
    "a kept checkpoint above the newest record of a whole export shows that records were removed: %i records, %s",
    async (last, missing) => {
      const chain = base.ledger.chains[1];
      if (chain === undefined) throw new Error("no such chain");
      const path = writeExport(base.ledger, chain, { format: "json", first: 1, last, name: "whole.json" });
      const outcome = await verifyInput({
        name: "whole.json",
        file: new Blob([readFileSync(path)]).stream(),
        manifest: readFileSync(`${path}.manifest`, "utf8"),
        publicKey: readFileSync(base.publicKey, "utf8"),
        rotations: "",
        checkpoints: [{ name: "kept", text: chain.checkpoint(40) }],
        isWhole: true,
        remarks: [],
      });
      expect(outcome.verdict).toBe("contradicted");
      expect(outcome.failures.join()).toContain(
        `kept covers 40 records, but the last record is number ${last}. ${missing}, or an older copy`,
      );
    },
  );

  test("dropped files are recognised by what they contain", () => {
    expect(kindOf("memledger-export/v1\n{}")).toBe("manifests");
    expect(kindOf("\ufeffmemledger+37107a32+AQOh")).toBe("publicKeys");
    expect(kindOf("memledger-rotation/v1\n")).toBe("rotations");
    expect(kindOf("memledger/0193a5c0000070008000000000000001\n3\n")).toBe("checkpoints");
    expect(kindOf('{"success":true')).toBe("checkpoints");
    expect([kindOf("# ours\nquorum none\n"), kindOf("witness one w+1+A\n")]).toEqual([
      "policies",
      "policies",
    ]);
    expect(kindOf("c2sp.org/tlog-proof@v1\nextra ")).toBe("receipts");
    expect([kindOf("[\n{"), kindOf("id,action\r\n"), kindOf(""), kindOf("\u001f\u008b")]).toEqual(
      Array.from({ length: 4 }, () => "exports"),
    );
  });
});

describe("the cryptography of the browser", () => {
  test("hashes as that of the server", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.uint8Array())), (parts) => {
        const [one, other] = [browserCryptography, runtimeCryptography].map(({ createSha256 }) => {
          const hash = createSha256();
          hash.update("before").digest();
          for (const part of parts) hash.update(part);
          return hash.digest();
        });
        expect(one).toBe(other ?? "");
      }),
    );
  });

  test("hashes bytes into a target as that of the server", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const [one, other] = [browserCryptography, runtimeCryptography].map(({ createSha256, hashInto }) => {
          const target = new Uint8Array(32);
          hashInto(bytes, target);
          expect(Buffer.from(target).toString("hex")).toBe(createSha256().update(bytes).digest());
          return target;
        });
        expect(one).toEqual(other ?? new Uint8Array());
      }),
    );
  });

  test("accepts the signatures that the server accepts, and no changed one", () => {
    const signer = createSigner(createSigningKey());
    const publicKey = Buffer.from(signer.verifierKey.split("+").slice(2).join("+"), "base64").subarray(1);
    const places = fc.record({ byte: fc.nat(63), bit: fc.nat(7), text: fc.string() });
    fc.assert(
      fc.property(places, ({ byte, bit, text }) => {
        const note = signer.sign(`${text}\n`);
        const signature = Buffer.from(note.trimEnd().split(" ").at(-1) ?? "", "base64").subarray(4);
        const changed = Buffer.from(signature);
        changed[byte] = (changed[byte] ?? 0) ^ (1 << bit);
        const verdicts = (of: Uint8Array, by: Uint8Array) =>
          [browserCryptography, runtimeCryptography].map((each) => each.isSignedBy(by, of, `${text}\n`));
        expect(verdicts(signature, publicKey)).toEqual([true, true]);
        expect(verdicts(changed, publicKey)).toEqual([false, false]);
        expect(verdicts(signature, publicKey.toReversed())).toEqual([false, false]);
      }),
      { numRuns: 50 },
    );
  });

  test("refuses a signature whose second half is not reduced", () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const signer = createSigner(createSigningKey());
    const publicKey = Buffer.from(signer.verifierKey.split("+").slice(2).join("+"), "base64").subarray(1);
    const signature = Buffer.from(signer.sign("text\n").trimEnd().split(" ").at(-1) ?? "", "base64").subarray(
      4,
    );
    const second = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`) + order;
    const bytes = Buffer.from(second.toString(16).padStart(64, "0"), "hex").reverse();
    const forged = Buffer.concat([signature.subarray(0, 32), bytes]);
    for (const cryptography of [browserCryptography, runtimeCryptography])
      expect(cryptography.isSignedBy(publicKey, forged, "text\n")).toBe(false);
  });
});
