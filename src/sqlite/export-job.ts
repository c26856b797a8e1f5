// Owns writing the records of one export to its file, piece by piece. Reads in pieces, too, so that no transaction stays open and
// holds up the write-ahead log. Complete or failed: a record that is missing or unreadable fails the export.

import type { Signer } from "../audit/note.ts";
import type { StoredRecord } from "../audit/record.ts";
import { type Export, recordsOf } from "../export/export.ts";
import { ExportFile } from "../export/export-file.ts";
import { manifestText } from "../export/manifest.ts";
import { createRowFormat, type RowFormat } from "../export/row-format.ts";
import type { ExportStep } from "../export/store.ts";
import { exportPieceMaxCharacters, exportPieceRows } from "../limits.ts";
import type { Database } from "../native/sqlite.ts";
import { payloadJoin, type RecordRow, recordColumns, toStoredRecord } from "./audit-reader.ts";

/** The chain of an export's project. */
export interface ExportChain {
  readonly number: number;
  /** Identifiers of the chain and of the project. */
  readonly chain: string;
  readonly project: string;
}

/** The ledger does not hold what it should; the message is for the export's owner. */
export class UnreadableRecord extends Error {
  constructor(seq: number, cause?: unknown) {
    super(`Record ${seq} of the ledger cannot be read. Have it verified.`, { cause });
  }
}

export class ExportJob {
  readonly #database: Database;
  readonly #made: Export;
  readonly #chain: ExportChain;
  readonly #format: RowFormat;
  readonly #file: ExportFile;
  readonly #select;
  #seq: number;
  #records = 0;
  #firstPrev: string | null = null;
  #lastHash: string | null = null;
  #ended: ExportStep | null = null;

  constructor(database: Database, made: Export, chain: ExportChain) {
    this.#database = database;
    this.#made = made;
    this.#chain = chain;
    this.#format = createRowFormat(made);
    this.#seq = made.firstSeq - 1;
    this.#select = database.prepare<[number, number, number], RecordRow>(
      `SELECT ${recordColumns} FROM audit_entry e ${payloadJoin}
       WHERE e.chain = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ${exportPieceRows}`,
    );
    this.#file = new ExportFile(made.path);
    this.#file.append(this.#format.head);
  }

  /** Writes one piece; after the last one the file is in its place and the answer stays the same. */
  step(signer: Signer): ExportStep {
    if (this.#ended !== null) return this.#ended;
    if (this.#seq < this.#made.lastSeq) this.#file.append(this.#piece());
    if (this.#seq < this.#made.lastSeq) return { status: "processing", records: this.#records };
    this.#file.append(this.#format.tail);
    const facts = this.#file.finish((file) => signer.sign(this.#manifest(file)));
    this.#ended = { status: "completed", records: this.#records, ...facts };
    return this.#ended;
  }

  /** Leaves no file behind. */
  abandon(): void {
    this.#file.abandon();
  }

  /** Rows as far as they fit, at least one: a payload may be as large as a thousand others. */
  #piece(): string {
    let text = "";
    for (const row of this.#select.iterate(this.#chain.number, this.#seq, this.#made.lastSeq)) {
      if (row.seq !== this.#seq + 1) break;
      text += this.#row(row);
      this.#seq = row.seq;
      this.#records += 1;
      if (text.length > exportPieceMaxCharacters) break;
    }
    if (text === "") throw new UnreadableRecord(this.#seq + 1);
    return text;
  }

  #row(row: RecordRow): string {
    try {
      const record = toStoredRecord(row);
      const between = this.#records === 0 ? "" : this.#format.between;
      const text = this.#format.row(record);
      if (this.#records === 0) this.#firstPrev = prevOf(record);
      this.#lastHash = record.hash;
      return between + text;
    } catch (cause) {
      throw new UnreadableRecord(row.seq, cause);
    }
  }

  #manifest({ bytes, sha256 }: { bytes: number; sha256: string }): string {
    const rows = this.#records;
    if (rows !== recordsOf(this.#made)) throw new Error("an export ended before its last record");
    const { number, chain, project } = this.#chain;
    const note = this.#database
      .prepare<[number, number], string>("SELECT note FROM audit_checkpoint WHERE chain = ? AND size = ?")
      .pluck();
    const checkpoint = rows === 0 ? null : (note.get(number, this.#made.lastSeq) ?? null);
    const [firstPrev, lastHash] = [this.#firstPrev, this.#lastHash];
    return manifestText(this.#made, { chain, project, rows, firstPrev, lastHash, bytes, sha256, checkpoint });
  }
}

function prevOf({ entry }: StoredRecord): string | null {
  const { prev }: { prev?: unknown } = JSON.parse(entry);
  return typeof prev === "string" ? prev : null;
}
