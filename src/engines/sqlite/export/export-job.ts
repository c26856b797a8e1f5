// Writes one export to its file: requests pieces ahead and writes them in their order. If a record is missing or cannot be read, the
// export fails.

import { type Export, recordsOf } from "../../../audit/export/export.ts";
import { ExportFile, type FileFacts } from "../../../audit/export/export-file.ts";
import { type ExportFacts, manifestText } from "../../../audit/export/manifest.ts";
import type { RowFormat } from "../../../audit/export/row-format.ts";
import { createRowFormat } from "../../../audit/export/row-formats.ts";
import type { Signer } from "../../../audit/signed-note.ts";
import type { ExportStep } from "../../../calls/storage/export-store.ts";
import { exportBatchRows } from "../../../platform/limits.ts";
import type { ExportRowThreads } from "./export-row-threads.ts";
import type { Piece, PieceOrder, Selection } from "./export-rows.ts";

/** What an export needs to know about its chain. */
export interface ExportChain
  extends Pick<ExportFacts, "chain" | "project" | "checkpoint" | "tree" | "before"> {
  readonly number: number;
  /** Null: no filter has left out records. */
  readonly selection: Selection | null;
}

/** A record of the ledger is missing or damaged; the message is for the owner of the export. */
export class UnreadableRecord extends Error {
  constructor(seq: number, reason: string) {
    super(`Record ${seq} of the ledger cannot be read. Ask the operator to verify the ledger.`, {
      cause: reason,
    });
  }
}

interface Ordered {
  readonly order: PieceOrder;
  readonly piece: Promise<Piece>;
}

export class ExportJob {
  readonly #rowThreads: ExportRowThreads;
  readonly #made: Export;
  readonly #chain: ExportChain;
  readonly #format: RowFormat;
  readonly #file: ExportFile;
  /** Oldest first. */
  readonly #ordered: Ordered[] = [];
  #orderedThrough: number;
  #through: number;
  #isBegun = false;
  #records = 0;
  #firstPrev: string | null = null;
  #lastHash: string | null = null;
  #ended: ExportStep | null = null;

  constructor(rowThreads: ExportRowThreads, made: Export, chain: ExportChain) {
    this.#rowThreads = rowThreads;
    this.#made = made;
    this.#chain = chain;
    this.#format = createRowFormat({ ...made, hasGaps: chain.selection !== null });
    this.#through = made.firstSeq - 1;
    this.#orderedThrough = this.#through;
    this.#file = new ExportFile(made.path);
  }

  get records(): number {
    return this.#records;
  }

  /** Writes one piece; after the last one the file is complete, and further calls return the same result. */
  async step(signer: Signer): Promise<ExportStep> {
    if (this.#ended !== null) return this.#ended;
    if (!this.#isBegun) this.#file.append(this.#format.head);
    this.#isBegun = true;
    if (this.#through < this.#made.lastSeq) await this.#writePiece();
    if (this.#through < this.#made.lastSeq) return { status: "processing", records: this.records };
    this.#file.append(this.#format.tail);
    const facts = await this.#file.finish((file) => signer.sign(this.#manifest(file)));
    this.#ended = { status: "completed", records: this.records, ...facts };
    return this.#ended;
  }

  /** Removes the unfinished file. */
  abandon(): Promise<void> {
    return this.#file.abandon();
  }

  async #writePiece(): Promise<void> {
    this.#orderAhead();
    const next = this.#ordered.shift();
    if (next === undefined) throw new Error("an export ended before its last record");
    const { order } = next;
    const piece = await next.piece;
    if ("unreadable" in piece) throw new UnreadableRecord(piece.unreadable, piece.reason);
    if (piece.through < order.last) this.#ordered.unshift(this.#order(piece.through + 1, order.last));
    const isFirst = this.#records === 0;
    if (isFirst) this.#firstPrev = piece.firstPrev;
    this.#file.append(isFirst ? this.#format.before : this.#format.between);
    this.#file.append(piece.text);
    await this.#file.flush();
    this.#lastHash = piece.lastHash;
    this.#records += piece.rows;
    this.#through = piece.through;
  }

  #orderAhead(): void {
    const { lastSeq } = this.#made;
    // Where the records of a selection are is not known: a piece ends when it is full, and the next one begins there.
    const seqs = this.#chain.selection === null ? exportBatchRows : Number.POSITIVE_INFINITY;
    while (this.#ordered.length < this.#rowThreads.ordersAhead && this.#orderedThrough < lastSeq) {
      const last = Math.min(this.#orderedThrough + seqs, lastSeq);
      this.#ordered.push(this.#order(this.#orderedThrough + 1, last));
      this.#orderedThrough = last;
    }
  }

  #order(first: number, last: number): Ordered {
    const { format, verifiable } = this.#made;
    const { number: chain, selection } = this.#chain;
    const order = { chain, first, last, format, verifiable, selection };
    const piece = this.#rowThreads.makeRows(order);
    // The failure is reported where the piece is awaited; an export that has failed awaits no further piece.
    piece.catch(() => undefined);
    return { order, piece };
  }

  #manifest({ bytes, sha256 }: FileFacts): string {
    const rows = this.records;
    if (rows !== recordsOf(this.#made)) throw new Error("an export ended before its last record");
    const [firstPrev, lastHash] = [this.#firstPrev, this.#lastHash];
    return manifestText(this.#made, { ...this.#chain, rows, firstPrev, lastHash, bytes, sha256 });
  }
}
