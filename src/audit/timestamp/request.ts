// Owns requests for a time stamp (RFC 3161, section 2.4.1). What is stamped is the text of a checkpoint, without its signature lines.

import { Integer } from "asn1js";
import { MessageImprint, TimeStampReq } from "pkijs";
import { toHex } from "../../platform/text/byte-text.ts";
import { readAs, readDer } from "./der.ts";

export const sha256Id = "2.16.840.1.101.3.4.2.1";

/** What an answer is compared with. */
export interface TimeStampRequest {
  /** Hexadecimal SHA-256. */
  readonly imprint: string;
  /** Hexadecimal; null: the request has none. */
  readonly nonce: string | null;
  /** Object identifier; null: the authority chooses. */
  readonly policy: string | null;
}

const nonceBytes = 16;

/** The request, in DER, for a stamp on a text with the certificate of the authority in it. */
export async function createRequest(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const request = new TimeStampReq({
    version: 1,
    messageImprint: await MessageImprint.create("SHA-256", new TextEncoder().encode(text)),
    nonce: Integer.fromBigInt(BigInt(`0x${toHex(nonce)}`)),
    certReq: true,
  });
  return new Uint8Array(request.toSchema().toBER());
}

/** Null when the bytes are not a request with SHA-256. */
export function readRequest(bytes: Uint8Array): TimeStampRequest | null {
  const schema = readDer(bytes);
  const request = schema === null ? null : readAs(() => new TimeStampReq({ schema }));
  if (request === null) return null;
  const imprint = imprintOf(request.messageImprint);
  return imprint === null
    ? null
    : { imprint, nonce: numberOf(request.nonce), policy: request.reqPolicy ?? null };
}

/** Hexadecimal; null when it was not made with SHA-256. */
export function imprintOf({ hashAlgorithm, hashedMessage }: MessageImprint): string | null {
  const bytes = hashedMessage.valueBlock.valueHexView;
  return hashAlgorithm.algorithmId === sha256Id && bytes.length === 32 ? toHex(bytes) : null;
}

/** The bytes of an integer, hexadecimal. */
export function numberOf(integer: Integer | undefined): string | null {
  return integer === undefined ? null : toHex(integer.valueBlock.valueHexView);
}
