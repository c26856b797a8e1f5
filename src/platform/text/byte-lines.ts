// Owns the division of a stream of bytes into lines, with a limit for their length. Knows nothing of what they contain.

const lineFeed = 0x0a;

/** A line without its line feed; null: it was longer than the limit, and its bytes were not kept. The last line needs no line feed. */
export async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
  lineMaxBytes: number,
): AsyncGenerator<Uint8Array | null> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const add = (part: Uint8Array) => {
    bytes += part.length;
    if (bytes > lineMaxBytes) parts = [];
    else parts.push(part);
  };
  const take = (): Uint8Array | null => {
    const line = bytes > lineMaxBytes ? null : joinBytes(parts, bytes);
    parts = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    // A copy, because the stream may use its buffer again.
    if (start < chunk.length) add(chunk.slice(start));
  }
  if (bytes > 0) yield take();
}

function joinBytes(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const joined = new Uint8Array(bytes);
  let length = 0;
  for (const part of parts) {
    joined.set(part, length);
    length += part.length;
  }
  return joined;
}
