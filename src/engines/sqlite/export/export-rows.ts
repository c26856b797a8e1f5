// Turns records into the text of an export, a piece at a time. Reads in pieces, too, because an open transaction would keep the
// write-ahead log from being emptied.

import type { ExportFormat } from "../../../audit/export/export.ts";
import { RowBuffer } from "../../../audit/export/row-buffer.ts";
import type { RowFormat } from "../../../audit/export/row-format.ts";
import { createRowFormat } from "../../../audit/export/row-formats.ts";
import type { StoredRecord } from "../../../audit/record.ts";
import { exportBatchMaxBytes } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { payloadJoin, type RecordRow, recordColumns, toProvableRecord } from "../ledger/audit-reader.ts";
import { createInclusionProofs } from "./inclusion-proofs.ts";

/** Records of one chain, the last one included. */
export interface PieceOrder {
  readonly chain: number;
  readonly first: number;
  readonly last: number;
  readonly format: ExportFormat;
  readonly verifiable: boolean;
  /** Null: all records of the range. */
  readonly selection: Selection | null;
}

/** The records that a filter has selected. */
export interface Selection {
  /** Id of the export. */
  readonly export: string;
  /** Of the checkpoint to which the proofs lead. */
  readonly leaves: number;
}

export type Piece =
  | {
      /** Rows with the separators between them. */
      readonly text: Uint8Array<ArrayBuffer>;
      readonly rows: number;
      /** Less than requested if large records filled the piece. */
      readonly through: number;
      /** `prev` of the first record and hash of the last. */
      readonly firstPrev: string | null;
      readonly lastHash: string;
    }
  /** A record that is missing or cannot be read. */
  | { readonly unreadable: number; readonly reason: string };

export function createPieces(database: Database): (order: PieceOrder) => Piece {
  const rowsOf = createRowReader(database);
  const proofsOf = createInclusionProofs(database);
  const buffer = new RowBuffer();
  const formats = new Map<string, RowFormat>();
  const formatOf = ({ format, verifiable, selection }: PieceOrder): RowFormat => {
    const hasGaps = selection !== null;
    const name = `${format} ${verifiable} ${hasGaps}`;
    const known = formats.get(name) ?? createRowFormat({ format, verifiable, hasGaps });
    formats.set(name, known);
    return known;
  };

  // In one transaction, because retention may replace nodes.
  return database.transaction((order: PieceOrder): Piece => {
    const format = formatOf(order);
    const { chain, selection, verifiable } = order;
    const proofOf = selection !== null && verifiable ? proofsOf(chain, selection.leaves) : null;
    let [rows, through, next] = [0, order.first - 1, order.first];
    let firstPrev: string | null = null;
    let lastHash = "";
    try {
      for (const row of rowsOf(order)) {
        next = row.wanted ?? through + 1;
        if (row.seq !== next) break;
        const record = toProvableRecord(row);
        if (rows === 0) firstPrev = prevOf(record);
        else buffer.append(format.between);
        format.appendRow(buffer, proofOf === null ? record : { ...record, proof: proofOf(next) });
        lastHash = record.hash;
        [rows, through] = [rows + 1, next];
        // At least one: a payload may be as large as a thousand others.
        if (buffer.length > exportBatchMaxBytes) break;
      }
    } catch (error) {
      buffer.take();
      return { unreadable: next, reason: error instanceof Error ? error.message : String(error) };
    }
    if (rows === 0) return { unreadable: next, reason: "it is missing" };
    return { text: buffer.take(), rows, through, firstPrev, lastHash };
  });
}

/** `wanted`: seq of the record, also if it is missing; null: all that follow each other are wanted. */
type FoundRow = RecordRow & { readonly wanted: number | null };

function createRowReader(database: Database): (order: PieceOrder) => Iterable<FoundRow> {
  const all = database.prepare<[number, number, number], FoundRow>(
    `SELECT NULL AS wanted, ${recordColumns} FROM audit_entry e ${payloadJoin}
     WHERE e.chain = ? AND e.seq BETWEEN ? AND ? ORDER BY e.seq`,
  );
  const selected = database.prepare<[number, string, number, number], FoundRow>(
    `SELECT x.seq AS wanted, ${recordColumns} FROM export_record x
     LEFT JOIN audit_entry e ON e.chain = ? AND e.seq = x.seq ${payloadJoin}
     WHERE x.export = ? AND x.seq BETWEEN ? AND ? ORDER BY x.seq`,
  );
  return ({ chain, first, last, selection }) =>
    selection === null
      ? all.iterate(chain, first, last)
      : selected.iterate(chain, selection.export, first, last);
}

function prevOf({ entry }: StoredRecord): string | null {
  const { prev }: { prev?: unknown } = JSON.parse(entry);
  return typeof prev === "string" ? prev : null;
}
