// Owns that no client gets the key of the operator: some servers repeat the key that they refuse. Must never change another byte.

/** As in records. */
const mask = Buffer.from("[key]");

/**
 * The chunks with each occurrence of the key replaced, also one that is cut. At most the bytes that may be the beginning of the key wait for
 * the next chunk.
 */
export async function* maskKey(chunks: AsyncIterable<Uint8Array>, key: string): AsyncIterable<Uint8Array> {
  const wanted = Buffer.from(key);
  let waiting = Buffer.alloc(0);
  for await (const chunk of chunks) {
    let rest = Buffer.concat([waiting, chunk]);
    for (let at = rest.indexOf(wanted); at !== -1; at = rest.indexOf(wanted)) {
      yield Buffer.concat([rest.subarray(0, at), mask]);
      rest = rest.subarray(at + wanted.length);
    }
    const kept = beginningAtEnd(rest, wanted);
    if (kept < rest.length) yield rest.subarray(0, rest.length - kept);
    waiting = rest.subarray(rest.length - kept);
  }
  if (waiting.length > 0) yield waiting;
}

/** How many bytes at the end of `bytes` are the longest beginning of `wanted`, without all of it. */
function beginningAtEnd(bytes: Buffer, wanted: Buffer): number {
  let length = Math.min(bytes.length, wanted.length - 1);
  while (length > 0 && !bytes.subarray(bytes.length - length).equals(wanted.subarray(0, length))) length -= 1;
  return length;
}
