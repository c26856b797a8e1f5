// Time stamps that openssl makes, judged by us and by openssl: what they state, and one refusal for each rule.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Extension, TimeStampReq, TSTInfo } from "pkijs";
import { readPem } from "../../../src/audit/timestamp/certificates.ts";
import { createRequest, readRequest } from "../../../src/audit/timestamp/request.ts";
import { readResponse } from "../../../src/audit/timestamp/response.ts";
import { stampedBy, type TimeStamp, verifyToken } from "../../../src/audit/timestamp/token.ts";
import { openssl } from "../../certificates.ts";
import { describeWith, program } from "../../needs.ts";
import { createTestAuthority, forStamps, infoIn, issuing, opensslAccepts, rsa } from "./authority.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-stamps-"));
afterAll(() => rmSync(folder, { recursive: true }));

const text =
  "memledger/0193a5c0000070008000000000000001/2\n2\nlYi5iKxbXRPyQ0gP6YNcBvHNUMeNzi3Ga71jx5eUE7I=\n";
let folders = 0;
const authorityLike = (shape: Parameters<typeof createTestAuthority>[1] = {}) =>
  createTestAuthority(join(folder, String(++folders)), shape);
const rootsOf = ({ root }: { readonly root: string }) => readPem(readFileSync(root, "utf8")) ?? [];
const seconds = (at: number) => Math.floor(at / 1000);

function tokenIn(answer: Uint8Array): Uint8Array {
  const token = readResponse(answer);
  if (typeof token === "string") throw new Error(token);
  return token;
}

describeWith(program("openssl"))("time stamps", () => {
  let authority: ReturnType<typeof authorityLike>;
  let request: Uint8Array;
  let token: Uint8Array;
  const verified = (bytes: Uint8Array, roots = rootsOf(authority)) =>
    verifyToken(bytes, text, { request: null, roots });
  beforeAll(async () => {
    authority = authorityLike();
    request = await createRequest(text);
    token = tokenIn(authority.answer(request));
  });

  /** What the token states, with members replaced, signed again. */
  function changed(change: (info: TSTInfo) => void): Uint8Array {
    const info = TSTInfo.fromBER(infoIn(token, authority.folder));
    change(info);
    return authority.sign(new Uint8Array(info.toSchema().toBER()));
  }

  test("are valid for us and for openssl", async () => {
    const before = seconds(Date.now()) - 60;
    const found = await verifyToken(token, text, {
      request: readRequest(request),
      roots: rootsOf(authority),
    });
    expect(found).toMatchObject({
      accuracyMs: 1500.1,
      authority: "CN=Test time stamps, O=memledger test",
      policy: "1.3.6.1.4.1.32473.1",
      isTrusted: true,
    });
    const { at } = found as TimeStamp;
    expect(seconds(at)).toBeWithin(before, seconds(Date.now()) + 1);
    expect(opensslAccepts(token, text, authority)).toBe(true);
    expect(await verifyToken(token, text, { request: null, roots: null })).toMatchObject({
      at,
      isTrusted: false,
    });
    expect(stampedBy(token)).toBe(readRequest(request)?.imprint ?? "");
  });

  test.each([
    ["with RSA", { key: rsa }],
    ["of an authority under another one", { between: `${issuing}` }],
    ["without an accuracy", { settings: [] }],
    ["with the older attribute", { settings: ["ess_cert_id_alg = sha1"] }],
    ["with milliseconds", { settings: ["clock_precision_digits = 3"] }],
  ])("%s", async (_, shape) => {
    const other = authorityLike(shape);
    const stamped = tokenIn(other.answer(request));
    expect(await verified(stamped, rootsOf(other))).toMatchObject({ isTrusted: true });
    expect(opensslAccepts(stamped, text, other)).toBe(true);
  });

  test("that say no accuracy have none", async () => {
    const stamped = tokenIn(authorityLike({ settings: [] }).answer(request));
    expect(await verifyToken(stamped, text, { request: null, roots: null })).toMatchObject({
      accuracyMs: null,
    });
  });

  test("of another text, nonce or policy are refused", async () => {
    const other = { request: readRequest(await createRequest(text)), roots: null };
    expect(await verifyToken(token, `${text}\n`, other)).toBe("it stamps another text than this checkpoint");
    expect(await verifyToken(token, text, other)).toBe("its nonce is not that of the request");
    const asked = { ...other.request, nonce: readRequest(request)?.nonce ?? null, policy: "1.2.3" };
    expect(await verifyToken(token, text, { request: { imprint: "", ...asked }, roots: null })).toContain(
      "its policy",
    );
    expect(await verifyToken(token, text, { request: { ...asked, imprint: "00" }, roots: null })).toContain(
      "another text than was requested",
    );
  });

  describe("with a certificate that is not made for them are refused", () => {
    const alone = "is not one for time stamps alone";
    test.each([
      ["no purpose", "keyUsage=critical,digitalSignature\n", alone],
      ["purpose that is not critical", forStamps.replace("Usage=critical,time", "Usage=time"), alone],
      ["two purposes", forStamps.replace("timeStamping", "timeStamping,codeSigning"), alone],
      ["another purpose", forStamps.replace("timeStamping", "codeSigning"), alone],
      [
        "usage for certificates only",
        forStamps.replace("digitalSignature", "keyCertSign"),
        "may not sign documents",
      ],
      ["unknown critical extension", `${forStamps}1.2.3.4=critical,DER:0500\n`, "critical extension 1.2.3.4"],
    ])("%s", async (_, extensions, reason) => {
      const other = authorityLike({ extensions });
      const stamped = other.sign(infoIn(token, authority.folder));
      expect(await verified(stamped, rootsOf(other))).toContain(reason);
      expect(await verifyToken(stamped, text, { request: null, roots: null })).toContain(reason);
      expect(opensslAccepts(stamped, text, other)).toBe(false);
    });

    test("one that had expired, or was not valid yet", async () => {
      for (const life of [{ to: "20250201000000Z" }, { from: "20440101000000Z" }]) {
        const other = authorityLike(life);
        const stamped = other.sign(infoIn(token, authority.folder));
        expect(await verified(stamped, rootsOf(other))).toContain("was not valid at the time of the stamp");
        expect(opensslAccepts(stamped, text, other)).toBe(false);
      }
    });
  });

  describe("without a way to a root are refused", () => {
    test("another root, also with the same name", async () => {
      expect(await verified(token, rootsOf(authorityLike()))).toBe(
        'no given root has issued the certificate of "CN=Test time stamps, O=memledger test", directly or over others in the time stamp; one between that is missing can be added to the roots',
      );
      expect(await verified(token, [])).toContain("no given root has issued");
    });

    test.each([
      ["a certificate that is no authority", "keyUsage=critical,digitalSignature\n", "is not an authority"],
      [
        "one that may not sign certificates",
        issuing.replace("keyCertSign", "cRLSign"),
        "may not sign certificates",
      ],
      ["one for another purpose", `${issuing}extendedKeyUsage=serverAuth\n`, "for time stamps"],
      ["one with constraints of names", `${issuing}nameConstraints=critical,permitted;DNS:a\n`, "2.5.29.30"],
    ])("%s", async (_, between, reason) => {
      const other = authorityLike({ between });
      const stamped = other.sign(infoIn(token, authority.folder));
      expect(await verified(stamped, rootsOf(other))).toContain(reason);
    });

    test("two authorities that certify each other end the search", async () => {
      const other = authorityLike({ between: issuing });
      const at = (name: string) => join(other.folder, name);
      openssl([
        "x509",
        "-x509toreq",
        "-in",
        at("root.pem"),
        "-signkey",
        at("root.key"),
        "-out",
        at("cross.csr"),
      ]);
      const life = ["-startdate", "20250101000000Z", "-enddate", "20450101000000Z", "-batch", "-notext"];
      const signer = ["-cert", at("between.pem"), "-keyfile", at("between.key"), "-extfile", at("root.cnf")];
      openssl([
        "ca",
        "-config",
        at("ca.cnf"),
        ...signer,
        ...life,
        "-in",
        at("cross.csr"),
        "-out",
        at("cross.pem"),
      ]);
      appendFileSync(at("chain.pem"), readFileSync(at("cross.pem")));
      const stamped = other.sign(infoIn(token, authority.folder));
      expect(await verified(stamped, rootsOf(authority))).toContain("no given root has issued");
      expect(await verified(stamped, rootsOf(other))).toMatchObject({ isTrusted: true });
    });

    test("a root that permits no other authorities", async () => {
      const other = authorityLike({ between: issuing.replace("TRUE", "TRUE,pathlen:0") });
      expect(await verified(tokenIn(other.answer(request)), rootsOf(other))).toMatchObject({
        isTrusted: true,
      });
      const limited = authorityLike({ between: issuing, root: issuing.replace("TRUE", "TRUE,pathlen:0") });
      const stamped = limited.sign(infoIn(token, authority.folder));
      expect(await verified(stamped, rootsOf(limited))).toContain(
        "may not issue certificates of other authorities",
      );
      expect(opensslAccepts(stamped, text, limited)).toBe(false);
    });
  });

  test("that are signed, but state something else, are refused", async () => {
    const refusal = async (bytes: Uint8Array) => verified(bytes);
    expect(await verified(changed(() => undefined))).toMatchObject({ isTrusted: true });
    expect(await refusal(changed((info) => Reflect.set(info, "version", 2)))).toBe(
      "what it states cannot be read",
    );
    expect(await refusal(changed((info) => Reflect.set(info.accuracy ?? {}, "millis", 1000)))).toBe(
      "what it states cannot be read",
    );
    const critical = new Extension({
      extnID: "1.2.3.4",
      critical: true,
      extnValue: new Uint8Array([5, 0]).buffer,
    });
    expect(await refusal(changed((info) => Reflect.set(info, "extensions", [critical])))).toContain(
      "critical extension",
    );
    const info = infoIn(token, authority.folder);
    expect(await refusal(authority.sign(info, []))).toBe("its signature does not name its certificate");
    expect(await refusal(authority.sign(info, ["-cades", "-md", "sha1"]))).toContain(
      "hash function 1.3.14.3.2.26",
    );
    expect(await refusal(authority.sign(info, ["-cades", "-nocerts"]))).toContain(
      "certificate of the authority",
    );
    expect(await refusal(authority.sign(info, ["-cades"], "1.2.3"))).toBe(
      "it is signed data, but no time stamp token",
    );
  });

  test("that an authority refuses say why", async () => {
    const other = authorityLike({ settings: ["accuracy = secs:1"] });
    const read = TimeStampReq.fromBER(request);
    read.messageImprint.hashAlgorithm.algorithmId = "2.16.840.1.101.3.4.2.2";
    expect(readResponse(other.answer(new Uint8Array(read.toSchema().toBER())))).toMatch(
      /^the authority refused, with status 2: (it does not support SHA-256|.*"Message digest algorithm is not supported\.")/,
    );
    expect(readResponse(new Uint8Array([0x30, 3, 2, 1, 0]))).toContain("TimeStampResp");
    expect(readResponse(new Uint8Array([0x30, 5, 0x30, 3, 2, 1, 0]))).toBe("it has no token");
    expect(readResponse(new Uint8Array([0x30, 5, 0x30, 3, 2, 1, 2]))).toBe(
      "the authority refused, with status 2",
    );
  });

  test("are requested with a nonce, and a request has nothing of the text but its hash", async () => {
    const [first, second] = [readRequest(request), readRequest(await createRequest(text))];
    expect(first?.imprint).toBe(second?.imprint ?? "");
    expect(first?.nonce).not.toBe(second?.nonce ?? "");
    expect(first?.nonce?.length).toBeGreaterThan(20);
    expect(request.length).toBeLessThan(100);
  });
});
