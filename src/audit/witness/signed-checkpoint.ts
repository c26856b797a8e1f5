// Owns the form of signed checkpoints of any log (C2SP tlog-checkpoint and signed-note). Verifies nothing.

import { fromBase64, toHex } from "../../platform/text/byte-text.ts";
import { hashBytes } from "../verify/cryptography.ts";
import type { TreeRoot } from "../verify/tree-paths.ts";

export interface SignatureLine {
  readonly name: string;
  /** 8 hexadecimal characters. */
  readonly keyId: string;
  readonly signature: Uint8Array;
  /** As it is in the note, without its end. */
  readonly line: string;
}

export interface SignedCheckpointOf extends TreeRoot {
  /** Identifies the log. */
  readonly origin: string;
  /** What was signed. */
  readonly text: string;
  readonly signatures: readonly SignatureLine[];
}

/** Null when the note or its text is malformed. */
export function parseSignedCheckpoint(note: string): SignedCheckpointOf | null {
  const [, text = "", lines = ""] = /^(.*\n)\n((?:— [^\n]+\n)+)$/su.exec(note) ?? [];
  const signatures = readSignatureLines(lines);
  const [, origin = "", size, encoded = ""] =
    /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*$/u.exec(text) ?? [];
  const root = fromBase64(encoded);
  if (signatures === null || root?.length !== hashBytes || hasControls(note)) return null;
  return Number.isSafeInteger(Number(size)) ? { origin, size: Number(size), root, text, signatures } : null;
}

/** Null when one of them is malformed. */
export function readSignatureLines(lines: string): readonly SignatureLine[] | null {
  const found = lines
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const [, name = "", encoded = ""] = /^— ([^\p{White_Space}+]+) (\S+)$/u.exec(line) ?? [];
      const bytes = fromBase64(encoded);
      if (bytes === null || bytes.length < 5) return null;
      return { name, keyId: toHex(bytes.subarray(0, 4)), signature: bytes.subarray(4), line };
    });
  const valid = found.filter((each) => each !== null);
  return valid.length === found.length && lines.endsWith("\n") ? valid : null;
}

function hasControls(note: string): boolean {
  return [...note].some((character) => character < " " && character !== "\n");
}
