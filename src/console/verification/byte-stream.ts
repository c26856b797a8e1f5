// Owns reading a stream of bytes in the browser, compressed or not.

/** Chunks of a stream; those of a gzip file are decompressed. */
export async function* bytesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array> {
  const [beginning, whole] = await look(stream);
  const isGzip = beginning[0] === 0x1f && beginning[1] === 0x8b;
  yield* chunksOf(isGzip ? whole.pipeThrough(new DecompressionStream("gzip")) : whole);
}

/** The first chunk, and a stream that still has it. */
async function look(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<[Uint8Array, ReadableStream<Uint8Array<ArrayBuffer>>]> {
  const reader = stream.getReader();
  const { value: first = new Uint8Array() } = await reader.read();
  const whole = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(first),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return [first, whole];
}

/** Not every browser iterates over streams. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
