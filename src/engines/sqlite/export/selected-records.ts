// Owns the records that the filter of an export selects: they are fixed when the export is created, because tags of memories change later.

import type { Export } from "../../../audit/export/export.ts";
import type { RecordFilter } from "../../../audit/record-filter.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { createFilterChoice, inRange } from "../ledger/record-filter.ts";

type Selection = Pick<Export, "firstSeq" | "lastSeq"> & { readonly selected: number };

/** @returns a function that stores which records of its range an export has, and that its proofs lead to the newest record */
export function createSelection(
  database: Database,
): (
  made: Export,
  filter: RecordFilter,
  chain: { readonly number: number; readonly last: number },
) => Selection {
  const choose = createFilterChoice(database);
  const extent = database.prepare<[string], { first: number | null; last: number | null; selected: number }>(
    "SELECT MIN(seq) AS first, MAX(seq) AS last, COUNT(*) AS selected FROM export_record WHERE export = ?",
  );
  const store = database.prepare(
    "UPDATE audit_export SET first_seq = :firstSeq, last_seq = :lastSeq, selected = :selected, checkpoint = :checkpoint WHERE id = :id",
  );
  return ({ id, firstSeq, lastSeq }, filter, chain) => {
    const range = { chain: chain.number, low: firstSeq, high: lastSeq };
    const { hint, sql, values } = choose(filter, range);
    database
      .prepare(
        `INSERT INTO export_record (export, seq) SELECT :id, e.seq FROM audit_entry e ${hint} WHERE ${inRange} ${sql}`,
      )
      .run({ ...values, ...range, id });
    const { first = null, last = null, selected = 0 } = extent.get(id) ?? {};
    const selection = { firstSeq: first ?? firstSeq, lastSeq: last ?? firstSeq - 1, selected };
    store.run({ ...selection, id, checkpoint: chain.last });
    return selection;
  };
}
