// Owns reading DER with limits: nothing that a time stamp authority sends is parsed without them. Must never throw for what was received.

import { type AsnType, fromBER } from "asn1js";

/** Of a request, a response or a token. Authorities send 2 to 20 kB. */
export const derMaxBytes = 64 * 1024;

/** Null when the bytes are not exactly one value. The library limits depth and number of values. */
export function readDer(bytes: Uint8Array): AsnType | null {
  if (bytes.length === 0 || bytes.length > derMaxBytes) return null;
  const read = readAs(() => fromBER(toOwn(bytes)));
  return read?.offset === bytes.length && read.result.error === "" ? read.result : null;
}

/** What a reader of the library returns; null when the bytes do not have its structure, for which it throws. */
export function readAs<Structure>(read: () => Structure): Structure | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** The values inside a value; none in one that has no others inside. */
export function valuesIn(value: AsnType | undefined): readonly AsnType[] {
  const inside: unknown = value === undefined ? undefined : Reflect.get(value.valueBlock, "value");
  return Array.isArray(inside) ? inside : [];
}

/** A value as it was received, with its tag and length. */
export function bytesOf(value: AsnType): Uint8Array<ArrayBuffer> {
  return toOwn(value.valueBeforeDecodeView);
}

/** Bytes in a buffer of their own, which the library and WebCrypto need. */
export function toOwn(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
