// Owns the certificate of the server: reads the two PEM files, checks that clients can accept them, and says what to do otherwise. Must
// never show the private key.

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { RefusedFile, readRegularText } from "../../../platform/files/regular-file.ts";
import { explainSystemError } from "../../../platform/files/system-error.ts";
import { counted } from "../../../platform/text/plural.ts";
import { quoteWord } from "../../../platform/text/shell-word.ts";

/** Absolute paths of the two PEM files. */
export interface CertificateFiles {
  /** The certificate of the server, then those of the authorities that issued it. */
  readonly certificate: string;
  readonly key: string;
}

export interface Certificate {
  /** PEM, only the certificates. */
  readonly chain: string;
  /** PEM, only the private key. */
  readonly key: string;
  /** The first name of the server, or the subject. */
  readonly name: string;
  /** Unix time in ms. */
  readonly startsAt: number;
  readonly endsAt: number;
}

const fileMaxBytes = 1024 * 1024;
const dayMs = 86_400_000;
/** A certificate that ends within this time, or within this share of its life, should have been renewed. */
const nearEndMs = 14 * dayMs;
const nearEndShare = 0.2;

/** @param now Unix time in ms @throws Error that says what to do */
export function readCertificate(files: CertificateFiles, now: number): Certificate {
  const certificateText = readPem(files.certificate, "certificate");
  const keyText = readPem(files.key, "key");
  const key = parseKey(keyText, files);
  const chain = parseChain(certificateText, files);
  requireOrder(chain, key, files);
  const [own] = chain;
  const [startsAt, endsAt] = [Date.parse(own.validFrom), Date.parse(own.validTo)];
  requireValid({ startsAt, endsAt }, files, now);
  const read = { chain: chain.map(String).join("\n"), key: blockOf(keyText, keyBlock) ?? "" };
  requireUsable(read, files);
  return { ...read, name: nameOf(own), startsAt, endsAt };
}

/** A sentence without its full stop about a certificate that should be renewed; null: there is time left. */
export function nearEnd({ startsAt, endsAt }: Certificate, now: number): string | null {
  const leftMs = endsAt - now;
  if (leftMs > Math.min(nearEndMs, (endsAt - startsAt) * nearEndShare)) return null;
  if (leftMs <= 0) return `The TLS certificate has expired on ${dateOf(endsAt)}`;
  return `The TLS certificate expires in ${counted(Math.floor(leftMs / dayMs), "day")}, on ${dateOf(endsAt)}`;
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function nameOf(certificate: X509Certificate): string {
  const [, name] = /(?:DNS|IP Address):([^,\s]+)/.exec(certificate.subjectAltName ?? "") ?? [];
  return name ?? certificate.subject.replaceAll("\n", ", ");
}

type Role = "certificate" | "key";
const options: Readonly<Record<Role, string>> = { certificate: "--tls-cert", key: "--tls-key" };

function refuse(role: Role, path: string, problem: string, cause?: unknown): Error {
  return new Error(`The TLS ${role} ${path} ${problem}`, { cause });
}

function readPem(path: string, role: Role): string {
  const text = readText(path, role);
  if (text.trim() === "") throw refuse(role, path, `is empty. Set ${options[role]} to a PEM file.`);
  if (text.includes("-----BEGIN ")) return text;
  throw refuse(
    role,
    path,
    `is not in PEM format. If it is in DER format, convert it: openssl ${role === "key" ? "pkey" : "x509"} -inform der -in ${quoteWord(path)} -out ${quoteWord(`${path}.pem`)}`,
  );
}

function readText(path: string, role: Role): string {
  try {
    return readRegularText(path, fileMaxBytes);
  } catch (error) {
    if (error instanceof RefusedFile) {
      const reason = error.message.slice(path.length + 1);
      throw refuse(role, path, `cannot be used: it ${reason} Set ${options[role]} to a PEM file.`, error);
    }
    const { cause = "unknown system error" } = explainSystemError(error) ?? {};
    const advice = `Correct ${options[role]}, or let the user that runs memledger read the file.`;
    throw refuse(role, path, `cannot be read: ${cause}. ${advice}`, error);
  }
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const keyBlock = /-----BEGIN ((?:[A-Z]+ )?PRIVATE KEY)-----[\s\S]+?-----END \1-----/;

function blockOf(text: string, block: RegExp): string | null {
  return block.exec(text)?.[0] ?? null;
}

function parseKey(text: string, { key: path }: CertificateFiles): KeyObject {
  const block = blockOf(text, keyBlock);
  if (block === null) {
    throw refuse(
      "key",
      path,
      text.includes("-----BEGIN CERTIFICATE-----")
        ? "contains a certificate and no private key. Check whether --tls-cert and --tls-key are swapped."
        : "contains no private key. Set --tls-key to the private key of the certificate.",
    );
  }
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(block)) {
    const decrypted = quoteWord(`${path}.decrypted`);
    throw refuse(
      "key",
      path,
      `is encrypted, and the server cannot ask for its passphrase. Decrypt it into a file that only the server can read: openssl pkey -in ${quoteWord(path)} -out ${decrypted}`,
    );
  }
  try {
    return createPrivateKey(block);
  } catch (cause) {
    throw refuse("key", path, "is damaged. Copy the file again, or issue a new certificate.", cause);
  }
}

type Chain = readonly [own: X509Certificate, ...issuers: X509Certificate[]];

function parseChain(text: string, { certificate: path }: CertificateFiles): Chain {
  const parsed = (text.match(certificateBlock) ?? []).map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (cause) {
      const which = `has a damaged certificate, number ${index + 1}`;
      throw refuse("certificate", path, `${which}. Copy the file again, or issue a new certificate.`, cause);
    }
  });
  const [own, ...issuers] = parsed;
  if (own !== undefined) return [own, ...issuers];
  throw refuse(
    "certificate",
    path,
    keyBlock.test(text)
      ? "contains a private key and no certificate. Check whether --tls-cert and --tls-key are swapped."
      : "contains no certificate. Set --tls-cert to the certificate of the server, in PEM format.",
  );
}

/** RFC 8446, section 4.4.2: the certificate of the server comes first, and each following one certifies the one before it. */
function requireOrder(
  chain: Chain,
  key: KeyObject,
  { certificate: path, key: keyPath }: CertificateFiles,
): void {
  const own = chain.findIndex((certificate) => certificate.checkPrivateKey(key));
  if (own === -1) {
    throw new Error(
      `The TLS key ${keyPath} does not belong to the certificate ${path}. Set --tls-cert and --tls-key to a certificate and the private key that it was issued for.`,
    );
  }
  const correct = "Put the certificate of the server first, then its issuer, then the issuer of that one.";
  const wrong = (reason: string) =>
    refuse("certificate", path, `has its certificates in the wrong order: ${reason}. ${correct}`);
  if (own > 0) throw wrong(`that of the server is number ${own + 1}`);
  const stray = chain.findIndex(
    (issuer, index) => index > 0 && chain[index - 1]?.checkIssued(issuer) === false,
  );
  if (stray > 0) throw wrong(`number ${stray + 1} did not issue number ${stray}`);
}

function requireValid(
  { startsAt, endsAt }: Pick<Certificate, "startsAt" | "endsAt">,
  { certificate: path }: CertificateFiles,
  now: number,
): void {
  if (now >= endsAt)
    throw refuse(
      "certificate",
      path,
      `has expired on ${dateOf(endsAt)}. Renew it, or check the clock of this machine.`,
    );
  if (now < startsAt)
    throw refuse("certificate", path, `is valid from ${dateOf(startsAt)}. Check the clock of this machine.`);
}

/** The TLS library refuses some keys and signatures, such as those that are too weak. */
function requireUsable({ chain, key }: Pick<Certificate, "chain" | "key">, files: CertificateFiles): void {
  try {
    createSecureContext({ cert: chain, key, minVersion: "TLSv1.2" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw refuse(
      "certificate",
      files.certificate,
      `is not accepted by the TLS library (${reason}). Issue one with an ECDSA key (P-256) or an RSA key of at least 2048 bits.`,
      cause,
    );
  }
}
