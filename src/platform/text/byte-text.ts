// Owns the texts of bytes: hexadecimal and base64, in browsers too. Must never accept a text that it would write differently.

const hexDigits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** A tenth of the time. Browsers have both since 2025. */
const nativeToHex: ((this: Uint8Array) => string) | undefined = Reflect.get(Uint8Array.prototype, "toHex");
const nativeFromHex: ((text: string) => Uint8Array<ArrayBuffer>) | undefined = Reflect.get(
  Uint8Array,
  "fromHex",
);

/** Lower-case hexadecimal characters. */
export function toHex(bytes: Uint8Array): string {
  if (nativeToHex !== undefined) return nativeToHex.call(bytes);
  let text = "";
  for (const byte of bytes) text += hexDigits[byte];
  return text;
}

/** Null when the text is not pairs of lower-case hexadecimal characters. Verification calls it for every record. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (nativeFromHex === undefined) return readHex(text);
  try {
    const bytes = nativeFromHex.call(Uint8Array, text);
    return toHex(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

function readHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 2 !== 0) return null;
  const bytes = new Uint8Array(text.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    const [high, low] = [digitValue(text.charCodeAt(2 * index)), digitValue(text.charCodeAt(2 * index + 1))];
    if (high < 0 || low < 0) return null;
    bytes[index] = 16 * high + low;
  }
  return bytes;
}

/** Of a lower-case hexadecimal digit; -1 for other characters. */
function digitValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}

/** For short values: hashes, keys and signatures. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Null when the text is not the base64 of bytes, padding included. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const decoded = atob(text);
    return btoa(decoded) === text ? Uint8Array.from(decoded, (one) => one.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}
