// Every pair of files that is no certificate with its key: one sentence that says what is wrong and what to do.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nearEnd, readCertificate } from "../../../src/transports/http/network/certificate.ts";
import { createAuthority, issue, openssl, type TestCertificate } from "../../certificates.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-certificate-"));
afterAll(() => rmSync(folder, { recursive: true }));

let authority: TestCertificate;
let middle: TestCertificate;
let own: TestCertificate;
let other: TestCertificate;
beforeAll(() => {
  authority = createAuthority(folder);
  middle = issue(folder, authority, "middle", { isAuthority: true });
  own = issue(folder, middle, "own");
  other = issue(folder, authority, "other");
});

/** After the certificates were made. */
const now = Date.now() + 600_000;
const day = 86_400_000;
const join2 = (...paths: readonly string[]) => paths.map((path) => readFileSync(path, "utf8")).join("");

let files = 0;
function file(content: string | Uint8Array): string {
  const path = join(folder, `file-${++files}`);
  writeFileSync(path, content);
  return path;
}

function fault(certificate: string, key: string, at = now): string {
  try {
    readCertificate({ certificate, key }, at);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "";
}

describe("a certificate", () => {
  test("with its issuers, also in one file with the key, and through a link", () => {
    const chain = join2(own.certificate, middle.certificate, authority.certificate);
    const all = file(`Some text\n${readFileSync(own.key, "utf8")}${chain}`);
    const link = join(folder, "link.pem");
    symlinkSync(all, link);
    const read = readCertificate({ certificate: link, key: link }, now);
    expect(read.name).toBe("127.0.0.1");
    expect(read.chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
    expect(read.chain).not.toContain("PRIVATE KEY");
    expect(read.key).toStartWith("-----BEGIN PRIVATE KEY-----");
  });

  test("with a key in each usual form", () => {
    const traditional = join(folder, "traditional.key");
    openssl(["ec", "-in", own.key, "-out", traditional]);
    const withParameters = file(
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${readFileSync(traditional, "utf8")}`,
    );
    for (const key of [traditional, withParameters]) expect(fault(own.certificate, key)).toBe("");
    const rsa = { certificate: join(folder, "rsa.pem"), key: join(folder, "rsa.key") };
    const output = ["-keyout", rsa.key, "-out", rsa.certificate];
    openssl(["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...output, "-subj", "/CN=rsa", "-days", "9"]);
    expect(readCertificate(rsa, now).name).toBe("CN=rsa");
  });

  test("is near its end in its last two weeks, or in the last fifth of a short life", () => {
    const long = readCertificate({ certificate: own.certificate, key: own.key }, now);
    expect(nearEnd(long, now)).toBeNull();
    expect(nearEnd(long, long.endsAt - 14 * day - 1)).toBeNull();
    expect(nearEnd(long, long.endsAt - 5 * day)).toMatch(
      /^The TLS certificate expires in 5 days, on \d{4}-\d\d-\d\d$/,
    );
    expect(nearEnd(long, long.endsAt)).toMatch(/^The TLS certificate has expired on \d{4}-\d\d-\d\d$/);
    const short = readCertificate(issue(folder, authority, "short", { days: 6 }), now);
    expect(nearEnd(short, now)).toBeNull();
    expect(nearEnd(short, short.endsAt - day)).toContain("expires in 1 day,");
  });
});

describe("refused", () => {
  const swap = "Check whether --tls-cert and --tls-key are swapped.";
  test.each<[string, () => string, RegExp | string]>([
    [
      "a certificate and the key of another one",
      () => fault(own.certificate, other.key),
      "does not belong to the certificate",
    ],
    [
      "an expired certificate",
      () => fault(own.certificate, own.key, now + 31 * day),
      /has expired on \d{4}-\d\d-\d\d\. Renew it/,
    ],
    [
      "a certificate of tomorrow",
      () => fault(own.certificate, own.key, now - 2 * day),
      "Check the clock of this machine.",
    ],
    ["exchanged files", () => fault(own.key, own.certificate), swap],
    ["a certificate as the key", () => fault(own.certificate, own.certificate), swap],
    [
      "a chain that begins with an issuer",
      () => fault(file(join2(middle.certificate, own.certificate)), own.key),
      "that of the server is number 2. Put the certificate of the server first",
    ],
    [
      "a chain without its middle",
      () => fault(file(join2(own.certificate, authority.certificate)), own.key),
      "number 2 did not issue number 1",
    ],
    [
      "a chain with the middle last",
      () => fault(file(join2(own.certificate, authority.certificate, middle.certificate)), own.key),
      "in the wrong order",
    ],
    [
      "a missing certificate",
      () => fault(join(folder, "missing"), own.key),
      "missing cannot be read: it does not exist. Correct --tls-cert",
    ],
    [
      "a missing key",
      () => fault(own.certificate, join(folder, "missing")),
      "missing cannot be read: it does not exist. Correct --tls-key",
    ],
    ["a directory", () => fault(folder, own.key), "it is not a regular file. Set --tls-cert to a PEM file."],
    [
      "a device",
      () => fault(own.certificate, "/dev/zero"),
      "it is not a regular file. Set --tls-key to a PEM file.",
    ],
    ["an empty certificate", () => fault(file(""), own.key), "is empty. Set --tls-cert"],
    ["an empty key", () => fault(own.certificate, file("\n")), "is empty. Set --tls-key"],
    ["a large file", () => fault(file("x".repeat(1024 * 1024 + 1)), own.key), "the maximum is 1048576."],
    ["a text", () => fault(file("certificate"), own.key), "is not in PEM format."],
    [
      "a PEM file of another kind",
      () => fault(file("-----BEGIN X509 CRL-----\nAA==\n-----END X509 CRL-----\n"), own.key),
      "contains no certificate.",
    ],
    [
      "a certificate that was cut short",
      () => fault(file(readFileSync(own.certificate, "utf8").slice(0, 300)), own.key),
      "contains no certificate.",
    ],
    [
      "a damaged certificate",
      () => fault(file("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), own.key),
      "has a damaged certificate, number 1.",
    ],
    [
      "a damaged key",
      () => fault(own.certificate, file("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")),
      "is damaged.",
    ],
  ])("%s", (_, read, said) => {
    const message = read();
    expect(message).toMatch(said);
    expect(message).toMatch(/^The TLS (certificate|key) \S+ .+[^\n]$/);
    expect(message).not.toContain("BEGIN");
  });

  test("a file in DER format, with the command that converts it", () => {
    const der = join(folder, "own.der");
    openssl(["x509", "-in", own.certificate, "-outform", "der", "-out", der]);
    const message = fault(der, own.key);
    expect(message).toContain("If it is in DER format, convert it: openssl x509 -inform der");
    openssl(message.split("openssl ")[1]?.split(" ") ?? []);
    expect(fault(`${der}.pem`, own.key)).toBe("");
  });

  test.each([[["-aes256"]], [["-aes256", "-traditional"]]])("an encrypted key (%p)", (cipher) => {
    const encrypted = join(folder, `encrypted-${cipher.length}.key`);
    openssl(["pkey", "-in", own.key, ...cipher, "-passout", "pass:secret", "-out", encrypted]);
    const message = fault(own.certificate, encrypted);
    expect(message).toContain("is encrypted, and the server cannot ask for its passphrase. Decrypt it");
    const command = message.split("openssl ")[1]?.split(" ") ?? [];
    openssl([...command, "-passin", "pass:secret"]);
    expect(fault(own.certificate, `${encrypted}.decrypted`)).toBe("");
  });

  test("a pair that was replaced by half", () => {
    const half = { certificate: join(folder, "half.pem"), key: join(folder, "half.key") };
    copyFileSync(other.certificate, half.certificate);
    copyFileSync(own.key, half.key);
    expect(fault(half.certificate, half.key)).toContain("does not belong to the certificate");
  });
});
