// Owns the form of a transparency log proof (C2SP tlog-proof@v1). Must never accept a text that deviates from the standard, nor read the
// note at its end.

import { fromBase64 } from "../../../platform/text/byte-text.ts";
import { hashBytes } from "../cryptography.ts";

/** With what such a file begins. */
export const tlogProofHeading = "c2sp.org/tlog-proof@v1";

export interface TlogProof {
  /** Nothing authenticates it. Null: none. */
  readonly extra: Uint8Array | null;
  /** Number of leaves before the one that is proved. */
  readonly index: number;
  /** The hashes beside the way from the leaf to the root, from the leaf up. */
  readonly path: readonly Uint8Array[];
  /** The checkpoint with its signature lines. */
  readonly note: string;
}

interface Written extends Pick<TlogProof, "index" | "note"> {
  /** Base64, as the hashes of the path. */
  readonly extra: string;
  readonly path: readonly string[];
}

export function tlogProofText({ extra, index, path, note }: Written): string {
  return [tlogProofHeading, `extra ${extra}`, `index ${index}`, ...path, "", note].join("\n");
}

/** A tree has at most 2^53 - 1 leaves. */
const pathMaxCount = 53;

/** Null: malformed. */
export function parseTlogProof(text: string): TlogProof | null {
  const end = text.indexOf("\n\n");
  const [heading, ...lines] = text.slice(0, Math.max(0, end)).split("\n");
  const given = lines[0]?.startsWith("extra ") === true ? lines.shift()?.slice("extra ".length) : undefined;
  const [, digits = ""] = /^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? "") ?? [];
  const index = digits === "" ? Number.NaN : Number(digits);
  if (heading !== tlogProofHeading || !Number.isSafeInteger(index) || lines.length > pathMaxCount)
    return null;
  const extra = given === undefined ? null : fromBase64(given);
  // Without extra data there is no line for it.
  if (given !== undefined && (extra === null || extra.length === 0)) return null;
  const path = lines.map(fromBase64).filter((hash) => hash?.length === hashBytes);
  const found = path.filter((hash) => hash !== null);
  return found.length === lines.length ? { extra, index, path: found, note: text.slice(end + 2) } : null;
}
