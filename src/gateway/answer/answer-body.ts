// Owns what of an answer that is no stream may be sent to the client at once, and what is held back: its last character, until its record is
// committed. Must never change a byte.

import { hasMoreValues } from "../../platform/json/json-text.ts";
import { answerMaxBytes, eventMaxValues, finalMaxMs, heldEventMaxBytes } from "../limits.ts";
import type { AnswerAssembler } from "./assembled.ts";

export class AnswerBody {
  readonly #assembler: AnswerAssembler;
  readonly #maxBytes: number;
  /** A copy of everything, until it is too long. */
  #copy: Uint8Array[] = [];
  #bytes = 0;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor({ assembler, maxBytes = answerMaxBytes }: { assembler: AnswerAssembler; maxBytes?: number }) {
    this.#assembler = assembler;
    this.#maxBytes = maxBytes;
  }

  /** As of AnswerStream. Servers that announce no length may keep the connection open after the end of the JSON. */
  get silenceMaxMs(): number | null {
    const last = this.#held[0]?.[0];
    return last === closingBrace || last === closingBracket ? finalMaxMs : null;
  }

  /** False for an answer with too many values: nobody reads it. */
  isOver(): boolean {
    const text = this.#text();
    if (hasMoreValues(text, eventMaxValues)) return false;
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  }

  /** The bytes that can be sent now. Held back is the last character, because JSON is not complete without it, and white space after it. */
  push(chunk: Uint8Array): readonly Uint8Array[] {
    if (chunk.length === 0) return [];
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#copy = [];
    else this.#copy.push(chunk.slice());
    const at = lastCharacterIn(chunk);
    if (at === -1 && this.#heldBytes + chunk.length <= heldEventMaxBytes) {
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
      return [];
    }
    const from = at === -1 ? chunk.length - 1 : at;
    const released = [...this.#held, chunk.subarray(0, from)].filter(({ length }) => length > 0);
    this.#held = [chunk.subarray(from)];
    this.#heldBytes = chunk.length - from;
    return released;
  }

  /** The rest, when the upstream has ended the answer. To be sent only after the record is committed. */
  end(): readonly Uint8Array[] {
    this.#assembler.takeWhole(this.#text());
    this.#copy = [];
    const held = this.#held;
    this.#held = [];
    return held;
  }

  /** "" for an answer that is too long. */
  #text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#copy));
  }
}

const closingBrace = 0x7d;
const closingBracket = 0x5d;

/** Index of the last byte that is no white space of JSON (RFC 8259, section 2); -1: there is none. */
function lastCharacterIn(bytes: Uint8Array): number {
  return bytes.findLastIndex((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09);
}
