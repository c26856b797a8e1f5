// Owns the memory for answers that are collected while they are forwarded, because they may be kept. An answer that finds no room is not kept.

export interface AnswerCollector {
  /** The bytes are not copied; nobody may change them. */
  add(bytes: Uint8Array): void;
  /** The whole answer; null: it is too long, or there was no room. */
  whole(): Uint8Array | null;
  [Symbol.dispose](): void;
}

/** @param eachMax bytes of one answer @param allMax bytes of all answers that are collected at the same time */
export function createAnswerCollectors(eachMax: number, allMax: number): () => AnswerCollector {
  let used = 0;
  return () => {
    let chunks: Uint8Array[] | null = [];
    let length = 0;
    const end = (): void => {
      chunks = null;
      used -= length;
      length = 0;
    };
    return {
      add(bytes) {
        if (chunks === null) return;
        if (length + bytes.length > eachMax || used + bytes.length > allMax) {
          end();
          return;
        }
        chunks.push(bytes);
        length += bytes.length;
        used += bytes.length;
      },
      whole: () => (chunks === null ? null : Buffer.concat(chunks)),
      [Symbol.dispose]: end,
    };
  };
}
