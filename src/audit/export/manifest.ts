// Owns the text of an export's manifest, which is signed. Format versions 1 and 2 are frozen (docs/engineer/AUDIT-FORMAT.md,
// docs/engineer/AUDIT-FORMAT-2.md).

import canonicalize from "canonicalize";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import type { Export } from "./export.ts";

export interface ExportFacts {
  /** Identifiers of the chain and its project. */
  readonly chain: string;
  readonly project: string;
  readonly rows: number;
  /** `prev` of the first record and hash of the last one; null if there are no rows. */
  readonly firstPrev: string | null;
  readonly lastHash: string | null;
  readonly bytes: number;
  readonly sha256: string;
  /** A signed checkpoint whose size is the last seq, or with a filter at least this; null if there are no rows. */
  readonly checkpoint: string | null;
  /** Of the Merkle tree of the chain; null: the chain has none, and the manifest is of version 1. */
  readonly tree: string | null;
  /** The nodes into which the leaves before the first row are divided, if the checkpoint is of version 2 and no filter has left out records. */
  readonly before: readonly string[] | null;
}

export function manifestText(made: Export, facts: ExportFacts): string {
  const { chain, project, rows, firstPrev, lastHash, bytes, sha256, checkpoint, tree, before } = facts;
  const records = made.filter === null ? "all" : "some";
  const members = canonicalize({
    export_id: made.id,
    chain,
    project,
    format: made.format,
    start_time: toTimestamp(made.startAt),
    end_time: toTimestamp(made.endAt),
    first_seq: rows === 0 ? null : made.firstSeq,
    last_seq: rows === 0 ? null : made.lastSeq,
    rows,
    first_prev: firstPrev,
    last_hash: lastHash,
    bytes,
    sha256,
    created_at: toTimestamp(made.createdAt),
    checkpoint,
    verifiable: made.verifiable,
    ...(tree === null ? {} : { records, filter: made.filter, parts: "all", tree, before }),
  });
  return `memledger-export/v${tree === null ? 1 : 2}\n${members}\n`;
}
