// Owns the text of an export's manifest, which is signed. Format version 1 is frozen (docs/engineer/AUDIT-FORMAT.md).

import canonicalize from "canonicalize";
import { toTimestamp } from "../timestamp.ts";
import type { Export } from "./export.ts";

interface ExportFacts {
  /** Identifiers of the chain and its project. */
  readonly chain: string;
  readonly project: string;
  readonly rows: number;
  /** `prev` of the first record and hash of the last one; null if there are no rows. */
  readonly firstPrev: string | null;
  readonly lastHash: string | null;
  readonly bytes: number;
  readonly sha256: string;
  /** A signed checkpoint whose size is the last seq; null if there are no rows. */
  readonly checkpoint: string | null;
}

export function manifestText(made: Export, facts: ExportFacts): string {
  const { chain, project, rows, firstPrev, lastHash, bytes, sha256, checkpoint } = facts;
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
  });
  return `memledger-export/v1\n${members}\n`;
}
