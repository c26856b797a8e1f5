// Owns the division of stdin into lines, with a limit for their length. Knows nothing of what they contain.

/** A line without its end; null: it was too long, or not UTF-8, and is dropped. */
export type InputLine = string | null;

const lineFeed = 0x0a;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The last line needs no line feed. */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  lineMaxBytes: number,
): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const add = (part: Uint8Array) => {
    bytes += part.length;
    if (bytes > lineMaxBytes) parts = [];
    else parts.push(part);
  };
  const take = (): InputLine => {
    const line = bytes > lineMaxBytes ? null : decode(Buffer.concat(parts));
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
    add(chunk.slice(start));
  }
  if (bytes > 0) yield take();
}

function decode(line: Uint8Array): InputLine {
  try {
    return utf8.decode(line);
  } catch {
    return null;
  }
}
