// Owns the texts of checkpoints, of both versions, and anchors, which are signed. Format version 1 is frozen (docs/engineer/AUDIT-FORMAT.md).

import { fromBase64, fromHex, toBase64, toHex } from "../platform/text/byte-text.ts";
import { fromTimestamp, toTimestamp } from "../platform/time/timestamp.ts";

/** States: the chain had this head at this size. */
export interface Checkpoint {
  readonly chain: string;
  readonly size: number;
  /** 64 lower-case hexadecimal characters. */
  readonly hash: string;
  readonly at: number;
}

export interface SignedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** The checkpoint as a signed note. */
  readonly note: string;
  /** A time stamp of it, the Base64 of the token; null: there is none. */
  readonly timestamp: string | null;
  readonly verifierKey: string;
}

/** A checkpoint as it is stored. */
export interface ListedCheckpoint {
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly note: string;
  /** Base64 of the token; null: there is none. */
  readonly timestamp: string | null;
  /** Of the record `size`, or of the genesis; null: the record was removed. */
  readonly hash: string | null;
}

/** States: the tree of the chain has this root at this number of leaves. A checkpoint of version 2. */
export interface TreeCheckpoint {
  readonly chain: string;
  /** `2`, or after an accepted loss of records the identifier of the record of the acceptance: 32 hexadecimal characters. */
  readonly log: string;
  readonly leaves: number;
  /** 64 lower-case hexadecimal characters. */
  readonly root: string;
}

/** States: records up to `through` were removed; the next record has this hash as `prev`. */
export interface Anchor {
  readonly chain: string;
  readonly through: number;
  readonly hash: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
  readonly cause: "retention" | "erasure";
}

export function checkpointText({ chain, size, hash, at }: Checkpoint): string {
  return `memledger/${chain}\n${size}\n${hashToBase64(hash)}\n${toTimestamp(at)}\n`;
}

export function treeCheckpointText({ chain, log, leaves, root }: TreeCheckpoint): string {
  return `memledger/${chain}/${log}\n${leaves}\n${hashToBase64(root)}\n`;
}

export function anchorText({ chain, through, hash, firstAt, lastAt, count, cause }: Anchor): string {
  const times = `${toTimestamp(firstAt)}\n${toTimestamp(lastAt)}`;
  return `memledger-anchor/${chain}\n${through}\n${hashToBase64(hash)}\n${times}\n${count}\n${cause}\n`;
}

/** Null when the text is not a checkpoint of version 1. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const [, chain = "", size, hash = "", at = ""] =
    /^memledger\/([0-9a-f]{32})\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n(\S+)\n$/.exec(text) ?? [];
  const time = fromTimestamp(at);
  return time === null ? null : { chain, size: Number(size), hash: hashToHex(hash), at: time };
}

/** Null when the text is not a checkpoint of version 2. */
export function parseTreeCheckpoint(text: string): TreeCheckpoint | null {
  const [, chain = "", log = "", leaves, root = ""] =
    /^memledger\/([0-9a-f]{32})\/(2|[0-9a-f]{32})\n([1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/.exec(text) ?? [];
  const checkpoint = { chain, log, leaves: Number(leaves), root: hashToHex(root) };
  // Base64 with unused bits, and a number that a double cannot hold, would be written differently.
  return treeCheckpointText(checkpoint) === text ? checkpoint : null;
}

/** Null when the text is not a checkpoint of either version. */
export function parseAnyCheckpoint(text: string): Checkpoint | TreeCheckpoint | null {
  return parseCheckpoint(text) ?? parseTreeCheckpoint(text);
}

/** How many records a checkpoint covers. @param through of the statement of the tree; of no use for version 1 */
export function sizeOfCheckpoint(
  checkpoint: Pick<Checkpoint, "size"> | Pick<TreeCheckpoint, "leaves">,
  through: number,
): number {
  return "size" in checkpoint ? checkpoint.size : checkpoint.leaves + through - 1;
}

/** Null when the text is not an anchor. */
export function parseAnchor(text: string): Anchor | null {
  const match =
    /^memledger-anchor\/([0-9a-f]{32})\n([1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n(\S+)\n(\S+)\n([1-9]\d{0,15})\n(retention|erasure)\n$/.exec(
      text,
    );
  const [, chain = "", through, hash = "", first = "", last = "", count, cause] = match ?? [];
  const [firstAt, lastAt] = [fromTimestamp(first), fromTimestamp(last)];
  if (firstAt === null || lastAt === null) return null;
  return {
    chain,
    through: Number(through),
    hash: hashToHex(hash),
    firstAt,
    lastAt,
    count: Number(count),
    cause: cause === "erasure" ? "erasure" : "retention",
  };
}

function hashToBase64(hash: string): string {
  return toBase64(fromHex(hash) ?? new Uint8Array());
}

/** The base64 of 32 bytes. */
function hashToHex(base64: string): string {
  return toHex(fromBase64(base64) ?? new Uint8Array());
}
