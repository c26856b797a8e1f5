// Owns the buffer in which rows are encoded. Building strings with doubled quotation marks and encoding them afterwards would take several
// times as long and allocate as much garbage as the whole file.

const initialBytes = 1024 * 1024;
const quote = 0x22;

export class RowBuffer {
  #bytes = Buffer.allocUnsafe(initialBytes);
  #scratch = Buffer.allocUnsafe(initialBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends text as UTF-8. */
  append(text: string): void {
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Appends text between quotation marks, each one inside it doubled (RFC 4180, section 2). */
  appendQuoted(text: string): void {
    if (this.#scratch.length < 3 * text.length) this.#scratch = Buffer.allocUnsafe(4 * text.length);
    const [source, size] = [this.#scratch, this.#scratch.write(text, 0)];
    this.#reserve(2 * size + 2);
    const target = this.#bytes;
    let at = this.#length;
    target[at++] = quote;
    for (let index = 0; index < size; index++) {
      const byte = source[index] ?? 0;
      target[at++] = byte;
      if (byte === quote) target[at++] = quote;
    }
    target[at++] = quote;
    this.#length = at;
  }

  /** Returns a copy of the content and empties the buffer. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#length);
    taken.set(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    if (this.#bytes.length > 8 * initialBytes) this.#bytes = Buffer.allocUnsafe(initialBytes);
    if (this.#scratch.length > initialBytes) this.#scratch = Buffer.allocUnsafe(initialBytes);
    return taken;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * needed);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
