// Owns that nobody gets a credential that an upstream was sent: some servers repeat the key that they refuse, also in the middle of a stream.
// Must never change another byte.

import type { ForwardedAnswer } from "./forwarding.ts";
import { maskedEverywhereMinCharacters } from "./limits.ts";

const mask = "[key]";

/** An answer with each occurrence of a secret replaced, in its headers and in its body. */
export function maskSecrets(answer: ForwardedAnswer, secrets: readonly string[]): ForwardedAnswer {
  const isError = answer.status >= 400;
  // A short one, such as the word that a server without keys is given, may also be a word of an answer.
  const masked = secrets.filter(
    ({ length }) => length >= maskedEverywhereMinCharacters || (isError && length > 0),
  );
  if (masked.length === 0) return answer;
  const forms = [...new Set(masked.flatMap(formsOf))];
  const headers = new Headers(answer.headers);
  for (const [name, value] of answer.headers) {
    const shown = forms.reduce((text, form) => text.replaceAll(form, mask), value);
    if (shown !== value) headers.set(name, shown);
  }
  return { ...answer, headers, chunks: forms.reduce(maskKey, answer.chunks) };
}

/** As it is, in JSON, and in a URL. */
function formsOf(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, inJson.replaceAll("/", "\\/"), encodeURIComponent(secret)];
}

/**
 * The chunks with each occurrence of the key replaced, also one that is cut. At most the bytes that may be the beginning of the key wait for
 * the next chunk.
 */
export async function* maskKey(chunks: AsyncIterable<Uint8Array>, key: string): AsyncIterable<Uint8Array> {
  const wanted = Buffer.from(key);
  let waiting = Buffer.alloc(0);
  try {
    for await (const chunk of chunks) {
      let rest =
        waiting.length === 0
          ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
          : Buffer.concat([waiting, chunk]);
      for (let at = rest.indexOf(wanted); at !== -1; at = rest.indexOf(wanted)) {
        yield Buffer.concat([rest.subarray(0, at), Buffer.from(mask)]);
        rest = rest.subarray(at + wanted.length);
      }
      const kept = beginningAtEnd(rest, wanted);
      if (kept < rest.length) yield rest.subarray(0, rest.length - kept);
      // A copy, because the stream may use its buffer again.
      waiting = Buffer.from(rest.subarray(rest.length - kept));
    }
  } catch (error) {
    // What came before a fault belongs to the answer.
    if (waiting.length > 0) yield waiting;
    throw error;
  }
  if (waiting.length > 0) yield waiting;
}

/** How many bytes at the end of `bytes` are the longest beginning of `wanted`, without all of it. */
function beginningAtEnd(bytes: Buffer, wanted: Buffer): number {
  const from = Math.max(0, bytes.length - wanted.length + 1);
  for (let at = bytes.indexOf(wanted[0] ?? 0, from); at !== -1; at = bytes.indexOf(wanted[0] ?? 0, at + 1)) {
    if (bytes.subarray(at).equals(wanted.subarray(0, bytes.length - at))) return bytes.length - at;
  }
  return 0;
}
