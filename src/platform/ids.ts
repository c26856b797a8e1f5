// Owns ids: UUIDv7 (RFC 9562), in the order of creation. The writer creates them, so the order is exact, except those of the records of
// exchanges, which are told to clients before the record, and of records that name themselves.

export type IdSource = (nowMs: number) => string;

/**
 * A source of UUIDv7 values as 32 lower-case hexadecimal characters. Strictly increasing, also within one
 * millisecond and when the clock steps back: RFC 9562 section 6.2, method 1 (a 12-bit counter after the time;
 * when it is full the time runs ahead by one millisecond).
 */
export function createIdSource(): IdSource {
  let lastMs = 0;
  let counter = 0;
  return (nowMs) => {
    if (nowMs > lastMs) {
      lastMs = nowMs;
      counter = randomBytes(1)[0] ?? 0;
    } else if (++counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
    const tail = randomBytes(8);
    tail[0] = ((tail[0] ?? 0) & 0x3f) | 0x80;
    return `${lastMs.toString(16).padStart(12, "0")}7${counter.toString(16).padStart(3, "0")}${tail.toHex()}`;
  };
}

/** 128 random bits as 32 lower-case hexadecimal characters. It tells nothing about what it is for, nor when it was made. */
export function randomId(): string {
  return randomBytes(16).toHex();
}

/** A sixteenth of the time of the function of node:crypto. */
function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** The identifier of a memory, a record and the like that a text means, in any case; null: the text has not the form of one. */
export function toId(text: string): string | null {
  return /^[0-9a-f]{32}$/i.test(text) ? text.toLowerCase() : null;
}
