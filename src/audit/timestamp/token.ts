// Owns the verification of time stamp tokens (RFC 3161 and RFC 5816): CMS SignedData over a TSTInfo. A token that cannot be read or used is
// refused with a reason. Must never throw, whatever the bytes are.

import { type AsnType, ObjectIdentifier, OctetString } from "asn1js";
import { type Attribute, ContentInfo, SignedData, TSTInfo } from "pkijs";
import { toHex } from "../../platform/text/byte-text.ts";
import {
  type ReadCertificate,
  readCertificate,
  signatureIds,
  subjectOf,
  whyNotAuthority,
  whyNotTrusted,
} from "./certificates.ts";
import { bytesOf, readAs, readDer, toOwn, valuesIn } from "./der.ts";
import { imprintOf, numberOf, sha256Id, type TimeStampRequest } from "./request.ts";

/** What a valid token states. */
export interface TimeStamp {
  /** The stamped text existed at this time, in milliseconds of Unix time. */
  readonly at: number;
  /** The time may differ by so much; null: the token does not say. */
  readonly accuracyMs: number | null;
  /** Subject of the certificate that has signed. */
  readonly authority: string;
  /** Object identifier of the policy of the authority. */
  readonly policy: string;
  /** Number of the token, hexadecimal. */
  readonly serial: string;
  /** Whether the certificate was followed to a given root. False: no roots were given. */
  readonly isTrusted: boolean;
}

interface Expected {
  /** With which the token was asked for; null: it is not known, and its nonce is not compared. */
  readonly request: TimeStampRequest | null;
  /** Trusted certificates; null: none were given, and the certificate of the authority is followed to no root. */
  readonly roots: readonly ReadCertificate[] | null;
}

interface ReadToken {
  readonly signed: SignedData;
  readonly info: TSTInfo;
  readonly certificates: readonly ReadCertificate[];
}

const signedDataId = "1.2.840.113549.1.7.2";
const tokenInfoId = "1.2.840.113549.1.9.16.1.4";
const contentTypeId = "1.2.840.113549.1.9.3";
const signingCertificateId = "1.2.840.113549.1.9.16.2.12";
const signingCertificateV2Id = "1.2.840.113549.1.9.16.2.47";

/** By object identifier. SHA-1 is permitted for the old form of signing-certificate only, which has no other. */
const hashes: Readonly<Record<string, string>> = {
  [sha256Id]: "SHA-256",
  "2.16.840.1.101.3.4.2.2": "SHA-384",
  "2.16.840.1.101.3.4.2.3": "SHA-512",
};

const certificatesMax = 20;

/** The hexadecimal SHA-256 of the text that a token stamps; null when the bytes are not such a token. Verifies nothing. */
export function stampedBy(token: Uint8Array): string | null {
  const read = readAs(() => readToken(token));
  return read === null || typeof read === "string" ? null : imprintOf(read.info.messageImprint);
}

/**
 * @param text what was stamped
 * @returns what the token states; a text: why it is refused, as a clause
 */
export async function verifyToken(
  token: Uint8Array,
  text: string,
  expected: Expected,
): Promise<TimeStamp | string> {
  // The library does not check the types of all values that it was given.
  return verify(token, text, expected).catch(() => "it cannot be read");
}

async function verify(
  token: Uint8Array,
  text: string,
  { request, roots }: Expected,
): Promise<TimeStamp | string> {
  const read = readToken(token);
  if (typeof read === "string") return read;
  const { info, certificates } = read;
  const stamped = new TextEncoder().encode(text);
  const imprint = imprintOf(info.messageImprint);
  if (imprint === null || imprint !== toHex(await digest("SHA-256", stamped)))
    return "it stamps another text than this checkpoint";
  const different = request === null ? null : whyNotRequested(info, request);
  if (different !== null) return different;
  const signer = await findSigner(read, stamped);
  if (typeof signer === "string") return signer;
  const at = info.genTime.getTime();
  const reason =
    whyNotAuthority(signer, at) ??
    (roots === null ? null : await whyNotTrusted(signer, { given: certificates, roots }, at));
  if (reason !== null) return reason;
  return {
    at,
    accuracyMs: accuracyOf(info),
    authority: subjectOf(signer),
    policy: info.policy,
    serial: numberOf(info.serialNumber) ?? "",
    isTrusted: roots !== null,
  };
}

function readToken(token: Uint8Array): ReadToken | string {
  const schema = readDer(token);
  const outer = schema === null ? null : readAs(() => new ContentInfo({ schema }));
  if (outer?.contentType !== signedDataId) return "it is not a time stamp token in DER";
  const signed = readAs(() => new SignedData({ schema: outer.content }));
  const content = signed?.encapContentInfo.eContent;
  if (!(content instanceof OctetString) || signed?.encapContentInfo.eContentType !== tokenInfoId)
    return "it is signed data, but no time stamp token";
  const infoSchema = readDer(new Uint8Array(content.getValue()));
  const info = infoSchema === null ? null : readAs(() => new TSTInfo({ schema: infoSchema }));
  if (info === null || info.version !== 1 || Number.isNaN(info.genTime.getTime()) || accuracyOf(info) === -1)
    return "what it states cannot be read";
  if (info.extensions?.some(({ critical }) => critical) === true)
    return "it has a critical extension, which is not supported";
  const certificates = certificatesIn(outer.content);
  if (certificates === null) return "it has a certificate that cannot be read, or too many";
  return { signed, info, certificates };
}

/** Those in the signed data as they were received: `[0]` of it. */
function certificatesIn(signedData: AsnType): readonly ReadCertificate[] | null {
  const isCertificates = ({ idBlock }: AsnType) => idBlock.tagClass === 3 && idBlock.tagNumber === 0;
  const values = valuesIn(valuesIn(signedData).find(isCertificates));
  const read = values.slice(0, certificatesMax + 1).map((value) => readCertificate(bytesOf(value)));
  const certificates = read.filter((one) => one !== null);
  return certificates.length === values.length ? certificates.slice(0, certificatesMax) : null;
}

function whyNotRequested(info: TSTInfo, request: TimeStampRequest): string | null {
  if (imprintOf(info.messageImprint) !== request.imprint) return "it stamps another text than was requested";
  if (numberOf(info.nonce) !== request.nonce) return "its nonce is not that of the request";
  if (request.policy !== null && info.policy !== request.policy)
    return `its policy ${info.policy} is not that of the request`;
  return null;
}

/** In milliseconds; null: not stated, -1: not a number that is permitted. */
function accuracyOf({ accuracy }: TSTInfo): number | null {
  if (accuracy === undefined) return null;
  const { seconds = 0, millis = 0, micros = 0 } = accuracy;
  const isFraction = (number: number) => Number.isSafeInteger(number) && number >= 0 && number < 1000;
  if (!(Number.isSafeInteger(seconds) && seconds >= 0 && isFraction(millis) && isFraction(micros))) return -1;
  return seconds * 1000 + millis + micros / 1000;
}

/** The certificate whose key has signed the token, and that the signed attributes name; a text: there is none, as a clause. */
async function findSigner(
  { signed, certificates }: ReadToken,
  stamped: Uint8Array<ArrayBuffer>,
): Promise<ReadCertificate | string> {
  const [info] = signed.signerInfos;
  if (info === undefined || signed.signerInfos.length !== 1) return "it does not have exactly one signature";
  const attributes = info.signedAttrs?.attributes ?? [];
  const isRepeated = new Set(attributes.map(({ type }) => type)).size < attributes.length;
  if (isRepeated || !attributes.every(({ values }) => values.length === 1))
    return "an attribute of its signature occurs twice";
  if (contentTypeOf(attributes) !== tokenInfoId) return "its signature is not one of a time stamp token";
  if (hashes[info.digestAlgorithm.algorithmId] === undefined)
    return `it was signed with the hash function ${info.digestAlgorithm.algorithmId}, which is not supported`;
  if (!signatureIds.includes(info.signatureAlgorithm.algorithmId))
    return `it was signed with the algorithm ${info.signatureAlgorithm.algorithmId}, which is not supported`;
  const result = await signed
    .verify({ signer: 0, data: stamped.buffer, extendedMode: true })
    .catch(() => null);
  const found = result?.signerCertificate ?? null;
  const signer = found === null ? undefined : certificates[signed.certificates?.indexOf(found) ?? -1];
  if (signer === undefined)
    return "its signature cannot be checked: it does not have the certificate of the authority, or it was changed. Ask the authority for the certificate with the token";
  if (result?.signatureVerified !== true) return "its signature is not valid";
  return (await isNamed(signer, attributes)) ? signer : "its signature does not name its certificate";
}

function contentTypeOf(attributes: readonly Attribute[]): string | null {
  const value: unknown = attributes.find(({ type }) => type === contentTypeId)?.values[0];
  return value instanceof ObjectIdentifier ? value.valueBlock.toString() : null;
}

/** Whether the signing-certificate attributes, of which there must be one, have the hash of this certificate in the first place. */
async function isNamed({ bytes }: ReadCertificate, attributes: readonly Attribute[]): Promise<boolean> {
  const named = attributes.filter(({ type }) =>
    [signingCertificateId, signingCertificateV2Id].includes(type),
  );
  const matches = named.map(async ({ type, values }) => {
    const [certificate] = valuesIn(valuesIn(values[0])[0]);
    const [first, second] = valuesIn(certificate);
    const isDefault = first instanceof OctetString;
    const hash = isDefault ? first : second;
    const name =
      type === signingCertificateId ? "SHA-1" : isDefault ? "SHA-256" : hashes[String(idIn(first))];
    if (!(hash instanceof OctetString) || name === undefined) return false;
    return toHex(hash.valueBlock.valueHexView) === toHex(await digest(name, bytes));
  });
  return named.length > 0 && (await Promise.all(matches)).every((isMatch) => isMatch);
}

/** The object identifier of an AlgorithmIdentifier. */
function idIn(algorithm: AsnType | undefined): string | null {
  const [id] = valuesIn(algorithm);
  return id instanceof ObjectIdentifier ? id.valueBlock.toString() : null;
}

async function digest(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(name, toOwn(bytes)));
}
