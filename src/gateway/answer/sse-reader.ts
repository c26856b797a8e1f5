// Owns reading server-sent events (WHATWG HTML, section 9.2) from bytes that are cut anywhere, with the position of each event in the
// stream. Must never change bytes: it reads a copy of what is forwarded.

import { eventMaxBytes } from "../limits.ts";

export interface SseEvent {
  /** The field `event`; null without one. */
  readonly type: string | null;
  /** Lines joined by line feeds; null: longer than the limit. */
  readonly data: string | null;
  /** Of its first byte, and after the empty line at its end. Comments in front of it do not belong to it. */
  readonly start: number;
  readonly end: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = "\ufeff";

export class SseReader {
  readonly #dataMaxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #position = 0;
  #eventStart = 0;
  #line: Uint8Array[] = [];
  #lineBytes = 0;
  #data: string[] = [];
  #dataBytes = 0;
  #type: string | null = null;
  #isTooLong = false;
  /** The last byte was a carriage return, so a line feed belongs to the same line end. */
  #endsWithReturn = false;
  /** That line end may be the end of an event. */
  #isEmptyLine = false;

  constructor(dataMaxBytes = eventMaxBytes) {
    this.#dataMaxBytes = dataMaxBytes;
  }

  /** The position in the stream after the last complete event. */
  get completeUntil(): number {
    return this.#eventStart;
  }

  /** The events that are complete with this part. */
  push(bytes: Uint8Array): SseEvent[] {
    const events: SseEvent[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#endsWithReturn) {
        this.#endsWithReturn = false;
        const isSecondHalf = bytes[at] === lineFeed;
        // It does not begin the next event.
        if (isSecondHalf && this.#eventStart === this.#position) this.#eventStart += 1;
        if (isSecondHalf) this.#position += 1;
        if (isSecondHalf) at += 1;
        if (this.#isEmptyLine) this.#endEvent(events);
        continue;
      }
      const end = lineEndIn(bytes, at);
      const stop = end === -1 ? bytes.length : end;
      this.#addToLine(bytes.subarray(at, stop), end !== -1);
      this.#position += stop - at;
      at = stop;
      if (end === -1) break;
      this.#position += 1;
      at += 1;
      this.#isEmptyLine = this.#lineBytes === 0;
      this.#endLine();
      if (bytes[end] === carriageReturn) this.#endsWithReturn = true;
      else if (this.#isEmptyLine) this.#endEvent(events);
    }
    return events;
  }

  /**
   * The event that the end of the stream cuts off; null without data. The standard drops it, but official clients read it, because some
   * servers leave out the last empty line.
   */
  end(): SseEvent | null {
    const events: SseEvent[] = [];
    if (this.#lineBytes > 0) this.#endLine();
    this.#endEvent(events);
    return events[0] ?? null;
  }

  #addToLine(part: Uint8Array, isComplete: boolean): void {
    if (part.length === 0) return;
    this.#lineBytes += part.length;
    if (this.#lineBytes + this.#dataBytes > this.#dataMaxBytes) {
      this.#isTooLong = true;
      this.#line = [];
      this.#data = [];
    }
    // A copy of what must wait for the next part, because the stream may use its buffer again.
    if (!this.#isTooLong) this.#line.push(isComplete ? part : part.slice());
  }

  #endLine(): void {
    const parts = this.#line;
    const isEmpty = this.#lineBytes === 0;
    const bytes = this.#lineBytes;
    this.#line = [];
    this.#lineBytes = 0;
    if (isEmpty || this.#isTooLong) return;
    const [only] = parts;
    const read = this.#decoder.decode(parts.length === 1 ? only : Buffer.concat(parts));
    const line = this.#position <= bytes + 1 && read.startsWith(byteOrderMark) ? read.slice(1) : read;
    const colon = line.indexOf(":");
    // A comment alone keeps the connection alive, so it must not wait for the next event.
    const hasBegun = this.#type !== null || this.#data.length > 0;
    if (colon === 0 && !hasBegun) this.#eventStart = this.#position;
    const name = colon === -1 ? line : line.slice(0, colon);
    if (name !== "data" && name !== "event") return;
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "event") this.#type = value;
    else {
      this.#data.push(value);
      this.#dataBytes += bytes;
    }
  }

  #endEvent(events: SseEvent[]): void {
    const [start, end] = [this.#eventStart, this.#position];
    const hasData = this.#data.length > 0 || this.#isTooLong;
    const data = this.#isTooLong ? null : this.#data.join("\n");
    if (hasData) events.push({ type: this.#type, data, start, end });
    this.#eventStart = end;
    this.#isEmptyLine = false;
    this.#data = [];
    this.#dataBytes = 0;
    this.#type = null;
    this.#isTooLong = false;
  }
}

/** Index of the next line feed or carriage return; -1: none. */
function lineEndIn(bytes: Uint8Array, from: number): number {
  const feed = bytes.indexOf(lineFeed, from);
  // Nearly all streams have line feeds only, so the second search is limited to the line.
  const line = feed === -1 ? bytes.subarray(from) : bytes.subarray(from, feed);
  const back = line.indexOf(carriageReturn);
  return back === -1 ? feed : from + back;
}
