// Turns records into the text of an export, a piece at a time. Reads in pieces, too, because an open transaction would keep the
// write-ahead log from being emptied.

import type { StoredRecord } from "../../../audit/record.ts";
import type { ExportFormat } from "../../../export/export.ts";
import { RowBuffer } from "../../../export/row-buffer.ts";
import type { RowFormat } from "../../../export/row-format.ts";
import { createRowFormat } from "../../../export/row-formats.ts";
import { exportBatchMaxBytes } from "../../../limits.ts";
import type { Database } from "../../../native/sqlite.ts";
import { payloadJoin, type RecordRow, recordColumns, toProvableRecord } from "../ledger/audit-reader.ts";

/** Records of one chain, the last one included. */
export interface PieceOrder {
  readonly chain: number;
  readonly first: number;
  readonly last: number;
  readonly format: ExportFormat;
  readonly verifiable: boolean;
}

export type Piece =
  | {
      /** Rows with the separators between them. */
      readonly text: Uint8Array<ArrayBuffer>;
      /** Less than requested if large records filled the piece. */
      readonly through: number;
      /** `prev` of the first record and hash of the last. */
      readonly firstPrev: string | null;
      readonly lastHash: string;
    }
  /** A record that is missing or cannot be read. */
  | { readonly unreadable: number; readonly reason: string };

export function createPieces(database: Database): (order: PieceOrder) => Piece {
  const select = database.prepare<[number, number, number], RecordRow>(
    `SELECT ${recordColumns} FROM audit_entry e ${payloadJoin}
     WHERE e.chain = ? AND e.seq BETWEEN ? AND ? ORDER BY e.seq`,
  );
  const buffer = new RowBuffer();
  const formats = new Map<string, RowFormat>();
  const formatOf = ({ format, verifiable }: PieceOrder): RowFormat => {
    const known = formats.get(`${format} ${verifiable}`) ?? createRowFormat({ format, verifiable });
    formats.set(`${format} ${verifiable}`, known);
    return known;
  };

  return (order) => {
    const format = formatOf(order);
    let through = order.first - 1;
    let firstPrev: string | null = null;
    let lastHash = "";
    try {
      for (const row of select.iterate(order.chain, order.first, order.last)) {
        if (row.seq !== through + 1) break;
        const record = toProvableRecord(row);
        if (through < order.first) firstPrev = prevOf(record);
        else buffer.append(format.between);
        format.appendRow(buffer, record);
        lastHash = record.hash;
        through = row.seq;
        // At least one: a payload may be as large as a thousand others.
        if (buffer.length > exportBatchMaxBytes) break;
      }
    } catch (error) {
      buffer.take();
      return { unreadable: through + 1, reason: error instanceof Error ? error.message : String(error) };
    }
    if (through < order.first) return { unreadable: order.first, reason: "it is missing" };
    return { text: buffer.take(), through, firstPrev, lastHash };
  };
}

function prevOf({ entry }: StoredRecord): string | null {
  const { prev }: { prev?: unknown } = JSON.parse(entry);
  return typeof prev === "string" ? prev : null;
}
