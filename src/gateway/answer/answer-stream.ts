// Owns what of a streamed answer may be sent to the client at once, and what is held back: the final event, until its record is committed.
// Must never change a byte, except that the report of usage that only the gateway has asked for is left out.

import { endMaxMs, finalMaxMs, heldEventMaxBytes } from "../limits.ts";
import type { AnswerAssembler, EventKind } from "./assembled.ts";
import { type SseEvent, SseReader } from "./sse-reader.ts";

export interface AnswerStreamOptions {
  readonly assembler: AnswerAssembler;
  readonly removesUsageEvent: boolean;
  readonly heldMaxBytes?: number;
}

/** A part of the stream that is not sent yet. */
interface Part {
  /** Its position in the stream. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

export class AnswerStream {
  readonly #assembler: AnswerAssembler;
  readonly #removesUsageEvent: boolean;
  readonly #heldMaxBytes: number;
  readonly #reader = new SseReader();
  #parts: Part[] = [];
  #received = 0;
  /** Where the final event begins; null: it was not received. */
  #finalStart: number | null = null;
  #finalEnd: number | null = null;
  /** Of the last event. */
  #last: EventKind = "part";
  #removed: SseEvent[] = [];

  constructor({ assembler, removesUsageEvent, heldMaxBytes = heldEventMaxBytes }: AnswerStreamOptions) {
    this.#assembler = assembler;
    this.#removesUsageEvent = removesUsageEvent;
    this.#heldMaxBytes = heldMaxBytes;
  }

  /** Whether the final event was received. What follows it is held back, too. */
  get isFinal(): boolean {
    return this.#finalStart !== null;
  }

  /** How long the upstream may be silent before the answer is over; null: it is not complete. */
  get silenceMaxMs(): number | null {
    const last = this.#last;
    if (last === "end" || (this.isFinal && last === "usage")) return endMaxMs;
    return this.isFinal || last === "error" ? finalMaxMs : null;
  }

  /** Whether the answer is over if the upstream is silent for that long. */
  isOver(): boolean {
    return true;
  }

  /**
   * The bytes that can be sent now. An incomplete event is held back, because it may be the final one; of a long one the last
   * `heldMaxBytes` are, so that no client can read it as complete. What follows the final event is held back up to that length; the rest
   * is no part of the answer, and is dropped.
   */
  push(chunk: Uint8Array): readonly Uint8Array[] {
    if (chunk.length === 0 || this.#isOverlong()) return [];
    this.#parts.push({ start: this.#received, bytes: chunk });
    this.#received += chunk.length;
    for (const event of this.#reader.push(chunk)) this.#take(event);
    const until =
      this.#finalStart ?? Math.max(this.#reader.completeUntil, this.#received - this.#heldMaxBytes);
    return this.#release(until);
  }

  /** The rest, when the upstream has ended the stream. To be sent only after the record is committed. */
  end(): readonly Uint8Array[] {
    const event = this.#reader.end();
    if (event !== null) this.#take(event);
    return this.#release(this.#received);
  }

  #isOverlong(): boolean {
    return this.#finalEnd !== null && this.#received - this.#finalEnd > this.#heldMaxBytes;
  }

  #take(event: SseEvent): void {
    const kind = this.#assembler.take(event);
    this.#last = kind;
    if (kind === "final" || kind === "end") {
      this.#finalStart ??= event.start;
      this.#finalEnd ??= event.end;
    }
    if (kind === "continued") {
      this.#finalStart = null;
      this.#finalEnd = null;
    }
    if (kind === "usage" && this.#removesUsageEvent) this.#removed.push(event);
  }

  /** The parts up to a position, without removed events. */
  #release(until: number): readonly Uint8Array[] {
    const released: Uint8Array[] = [];
    const kept: Part[] = [];
    for (const part of this.#parts) {
      const end = part.start + part.bytes.length;
      if (part.start < until) released.push(...this.#without(part, Math.min(end, until)));
      if (end > until) {
        const start = Math.max(part.start, until);
        kept.push({ start, bytes: part.bytes.subarray(start - part.start) });
      }
    }
    this.#parts = kept;
    this.#removed = this.#removed.filter(({ end }) => end > until);
    return released;
  }

  #without({ start, bytes }: Part, until: number): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let at = start;
    for (const removed of this.#removed) {
      if (removed.end <= at || removed.start >= until) continue;
      if (removed.start > at) pieces.push(bytes.subarray(at - start, removed.start - start));
      at = removed.end;
    }
    if (at < until) pieces.push(bytes.subarray(at - start, until - start));
    return pieces;
  }
}
