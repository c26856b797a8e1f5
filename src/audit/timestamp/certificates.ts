// Owns the rules for certificates of time stamp authorities: what one may sign, and the way from it to a trusted root (RFC 3161, section
// 2.3, and RFC 5280). Certificates that the rules do not cover are refused. Revocation is not checked.
//
// The validation of chains in pkijs is not used: it never ends with two certificates that certify each other, and ignores the length of paths.

import { BasicConstraints, Certificate, ExtKeyUsage } from "pkijs";
import { toHex } from "../../platform/text/byte-text.ts";
import { readAs, readDer, toOwn } from "./der.ts";
import { nameText } from "./distinguished-name.ts";

export interface ReadCertificate {
  /** As it was received. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly parsed: Certificate;
}

const keyUsageId = "2.5.29.15";
const constraintsId = "2.5.29.19";
const policiesId = "2.5.29.32";
const purposesId = "2.5.29.37";
const timeStamping = "1.3.6.1.5.5.7.3.8";
const anyPurpose = "2.5.29.37.0";

/** Bits of the first byte of keyUsage. */
const signsDocuments = 0x80 | 0x40;
const signsCertificates = 0x04;

/** Certificates between the authority and a root, at most. */
const chainMaxLength = 8;

/** With SHA-256 or longer: RSA (PKCS #1 and PSS) and ECDSA. */
export const signatureIds: readonly string[] = [
  "1.2.840.113549.1.1.1",
  "1.2.840.113549.1.1.10",
  "1.2.840.113549.1.1.11",
  "1.2.840.113549.1.1.12",
  "1.2.840.113549.1.1.13",
  "1.2.840.10045.4.3.2",
  "1.2.840.10045.4.3.3",
  "1.2.840.10045.4.3.4",
];

/** Null when the bytes are not a certificate. */
export function readCertificate(bytes: Uint8Array): ReadCertificate | null {
  const schema = readDer(bytes);
  const parsed = schema === null ? null : readAs(() => new Certificate({ schema }));
  return parsed === null ? null : { bytes: toOwn(bytes), parsed };
}

/** The certificates of a PEM file; null when one of them cannot be read, or there is none. */
export function readPem(file: string): readonly ReadCertificate[] | null {
  const blocks = [...file.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g)];
  const read = blocks.map(([, encoded = ""]) =>
    readAs(() => readCertificate(Uint8Array.from(atob(encoded), (one) => one.charCodeAt(0)))),
  );
  const certificates = read.filter((one) => one !== null);
  return blocks.length > 0 && certificates.length === blocks.length ? certificates : null;
}

/** Why a certificate may not sign time stamps at this time, as a clause; null: it may. */
export function whyNotAuthority(certificate: ReadCertificate, at: number): string | null {
  const purposes = extensionOf(certificate, purposesId);
  const { keyPurposes = [] } = purposes?.parsedValue instanceof ExtKeyUsage ? purposes.parsedValue : {};
  if (purposes?.critical !== true || keyPurposes.length !== 1 || keyPurposes[0] !== timeStamping)
    return `the certificate of "${subjectOf(certificate)}" is not one for time stamps alone (a critical extended key usage with timeStamping and nothing else)`;
  const usage = usageOf(certificate);
  if (usage !== null && (usage & signsDocuments) === 0)
    return `the certificate of "${subjectOf(certificate)}" may not sign documents`;
  return whyNotValid(certificate, at);
}

/**
 * Why there is no way from a certificate to a root, all of it valid at this time, as a clause; null: there is one. Each certificate is
 * reached once, over the shortest way, so those that certify each other end the search.
 */
export async function whyNotTrusted(
  signer: ReadCertificate,
  {
    given,
    roots,
  }: { readonly given: readonly ReadCertificate[]; readonly roots: readonly ReadCertificate[] },
  at: number,
): Promise<string | null> {
  const trusted = new Set(roots.map(({ bytes }) => toHex(bytes)));
  const reached = new Set([signer]);
  const reasons: string[] = [];
  let level = [signer];
  for (let below = 0; below <= chainMaxLength; below++) {
    if (level.some(({ bytes }) => trusted.has(toHex(bytes)))) return null;
    const next: ReadCertificate[] = [];
    for (const one of level) {
      for (const issuer of [...roots, ...given]) {
        if (reached.has(issuer) || !(await hasIssued(issuer, one))) continue;
        reached.add(issuer);
        const reason = whyNotIssuer(issuer, below, at);
        if (reason === null) next.push(issuer);
        else reasons.push(reason);
      }
    }
    level = next;
  }
  return (
    reasons[0] ??
    `no given root has issued the certificate of "${subjectOf(signer)}", directly or over others in the time stamp; one between that is missing can be added to the roots`
  );
}

async function hasIssued(issuer: ReadCertificate, { parsed }: ReadCertificate): Promise<boolean> {
  if (!parsed.issuer.isEqual(issuer.parsed.subject)) return false;
  if (!signatureIds.includes(parsed.signatureAlgorithm.algorithmId)) return false;
  return parsed.verify(issuer.parsed).catch(() => false);
}

/** @param below how many certificates of authorities are between it and the signer */
function whyNotIssuer(certificate: ReadCertificate, below: number, at: number): string | null {
  const subject = subjectOf(certificate);
  const constraints = extensionOf(certificate, constraintsId)?.parsedValue;
  if (!(constraints instanceof BasicConstraints) || !constraints.cA)
    return `"${subject}" is not an authority for certificates`;
  const { pathLenConstraint } = constraints;
  if (pathLenConstraint !== undefined && !(Number(pathLenConstraint) >= below))
    return `"${subject}" may not issue certificates of other authorities`;
  const usage = usageOf(certificate);
  if (usage !== null && (usage & signsCertificates) === 0) return `"${subject}" may not sign certificates`;
  const purposes = extensionOf(certificate, purposesId)?.parsedValue;
  const allows = (each: string) => each === timeStamping || each === anyPurpose;
  if (purposes !== undefined && !(purposes instanceof ExtKeyUsage && purposes.keyPurposes.some(allows)))
    return `"${subject}" may not issue certificates for time stamps`;
  return whyNotValid(certificate, at);
}

function whyNotValid(certificate: ReadCertificate, at: number): string | null {
  const { notBefore, notAfter, extensions = [] } = certificate.parsed;
  const subject = subjectOf(certificate);
  const known = [keyUsageId, constraintsId, policiesId, purposesId];
  const unknown = extensions.find(({ critical, extnID }) => critical && !known.includes(extnID));
  if (unknown !== undefined)
    return `the certificate of "${subject}" has the critical extension ${unknown.extnID}, which is not supported`;
  if (new Set(extensions.map(({ extnID }) => extnID)).size < extensions.length)
    return `the certificate of "${subject}" has an extension twice`;
  if (!(at >= notBefore.value.getTime() && at <= notAfter.value.getTime()))
    return `the certificate of "${subject}" was not valid at the time of the stamp`;
  return null;
}

export function subjectOf({ parsed }: ReadCertificate): string {
  return nameText(parsed.subject);
}

function extensionOf({ parsed }: ReadCertificate, id: string) {
  return parsed.extensions?.find(({ extnID }) => extnID === id);
}

/** The first byte of keyUsage; null when the certificate may be used for everything. */
function usageOf(certificate: ReadCertificate): number | null {
  const usage = extensionOf(certificate, keyUsageId);
  if (usage === undefined) return null;
  const schema = readDer(new Uint8Array(usage.extnValue.valueBlock.valueHexView));
  const bits: unknown = schema === null ? null : Reflect.get(schema.valueBlock, "valueHexView");
  return bits instanceof Uint8Array ? (bits[0] ?? 0) : 0;
}
