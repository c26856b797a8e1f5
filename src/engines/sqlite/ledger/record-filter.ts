// Owns how the records of a list are found: the conditions of its filters, and the index that leads. Performs no list.

import type { RecordFilter } from "../../../audit/record-filter.ts";
import type { RecordQuery } from "../../../calls/storage/ledger-store.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { selectedMemories } from "../memories/selected-memories.ts";

export type Values = Readonly<Record<string, unknown>>;

/** The condition on records of a list besides their chain and positions. */
export interface Filter {
  /** Names the index to use, where SQLite would choose one that has more records; empty: it chooses. */
  readonly hint: string;
  /** Empty: there is no condition. */
  readonly sql: string;
  readonly values: Values;
}

type Filters = RecordFilter & Pick<RecordQuery, "hidden">;

/** Of the entries `e`. */
export const inRange = "e.chain = :chain AND e.seq BETWEEN :low AND :high";
export const byFailure = "INDEXED BY audit_entry_failed";
export const byKey = "INDEXED BY audit_entry_by_key";
/** The condition of the index of failures. */
export const isFailure = "e.status NOT BETWEEN 200 AND 299";

/** Each has an index of its own by chain, value and position. */
const selections = [
  { name: "memoryId", column: "memory", index: "audit_entry_by_memory" },
  { name: "keyId", column: "key", index: "audit_entry_by_key" },
  { name: "action", column: "action", index: "audit_entry_by_action" },
] as const;
type Selection = (typeof selections)[number];

/** Records with a value are counted up to this number to find out which value is rarer. */
const countedMax = 5_000;

/** Records that are left out: the list passes over them, and its count is the difference, so that no list reads the whole chain. */
export const isHidden =
  "e.key IN (SELECT value FROM json_each(:hiddenKeys)) AND e.status BETWEEN 200 AND 299 AND e.action IN (SELECT value FROM json_each(:hiddenActions))";

/** By row number, which no index of entries leads to: SQLite would scan the whole chain to avoid sorting. */
const byNumber = "NOT INDEXED";
/** The records that name the pseudonym in a parameter. */
const naming = (parameter: "subject" | "conversation" | "person") =>
  `e.number IN (SELECT entry FROM audit_pseudonym WHERE pseudonym = (SELECT serial FROM pseudonym WHERE id = :${parameter}))`;

/** The project of the chain, and its subjects. */
const owners = `IN (SELECT project FROM audit_chain WHERE number = :chain
  UNION ALL SELECT serial FROM project WHERE parent = (SELECT project FROM audit_chain WHERE number = :chain))`;

/** The records whose entry names one of the memories, and those of the conversations of which one was made. */
function ofMemories(serials: string): string {
  return `e.number IN (WITH selected AS (SELECT m.id, m.made_of FROM (${serials}) s CROSS JOIN memory m ON m.serial = s.memory)
    SELECT n.number FROM selected s CROSS JOIN audit_entry n INDEXED BY audit_entry_by_memory
      ON n.chain = :chain AND n.memory = s.id AND n.seq BETWEEN :low AND :high
    UNION ALL SELECT n.number FROM selected s CROSS JOIN audit_entry n ON n.id = s.made_of ->> 'record')`;
}

export function filterOf(filters: Filters): Filter {
  const {
    action,
    keyId,
    memoryId,
    subject = null,
    conversation = null,
    person = null,
    statusClass,
    hidden = null,
  } = filters;
  const byRow = rowConditions(filters);
  const conditions = [
    ...(action === null ? [] : ["e.action = :action"]),
    ...(keyId === null ? [] : ["e.key = :keyId"]),
    ...(memoryId === null ? [] : ["e.memory = :memoryId"]),
    ...byRow.conditions,
    ...statusConditions(statusClass),
    ...hiddenConditions(hidden),
  ];
  // Without the hint SQLite scans the whole chain to avoid sorting.
  const isRare = statusClass !== null && statusClass !== 2 && memoryId === null;
  return {
    hint: byRow.conditions.length > 0 ? byNumber : isRare ? byFailure : "",
    sql: conditions.map((condition) => `AND ${condition}`).join(" "),
    values: {
      ...{ action, keyId, memoryId, subject, conversation, person, status: (statusClass ?? 0) * 100 },
      ...hiddenValues(hidden),
      ...byRow.values,
    },
  };
}

/** Conditions that other tables answer with numbers of rows. They lead wherever they are asked for: such records are few. */
function rowConditions({
  subject = null,
  conversation = null,
  person = null,
  tags = null,
  metadata = null,
}: Filters): {
  readonly conditions: readonly string[];
  readonly values: Values;
} {
  const memories = selectedMemories({ tags, metadata }, "TRUE", owners);
  return {
    conditions: [
      // The records of a conversation are among those of its subject.
      ...(subject === null || conversation !== null ? [] : [naming("subject")]),
      ...(conversation === null ? [] : [naming("conversation")]),
      ...(person === null ? [] : [naming("person")]),
      ...(memories === null ? [] : [ofMemories(memories.sql)]),
    ],
    values: memories?.parameters ?? {},
  };
}

export function hiddenValues(hidden: RecordQuery["hidden"]): Values {
  if (!hidden) return {};
  return { hiddenKeys: JSON.stringify(hidden.keyIds), hiddenActions: JSON.stringify(hidden.actions) };
}

function hiddenConditions(hidden: RecordQuery["hidden"]): readonly string[] {
  return hidden ? [`COALESCE(NOT (${isHidden}), TRUE)`] : [];
}

function statusConditions(statusClass: RecordQuery["statusClass"]): readonly string[] {
  return [
    ...(statusClass === null ? [] : ["e.status BETWEEN :status AND :status + 99"]),
    ...(statusClass === null || statusClass === 2 ? [] : [isFailure]),
  ];
}

/**
 * @returns a function that finds the filter of a list. Of several values the rarest leads, and the others are looked up in their indexes by
 * position: SQLite alone would read each record of one value from the table.
 */
export function createFilterChoice(database: Database): (query: Filters, range: Values) => Filter {
  const sizeOf = ({ index, column, name }: Selection, query: Filters, range: Values): number =>
    Number(
      database
        .prepare<[Values], number>(
          `SELECT COUNT(*) FROM (SELECT 1 FROM audit_entry e INDEXED BY ${index}
             WHERE ${inRange} AND e.${column} = :value LIMIT ${countedMax})`,
        )
        .pluck()
        .get({ ...range, value: query[name] }),
    );
  return (query, range) => {
    const plain = filterOf(query);
    const chosen = selections.filter(({ name }) => query[name] !== null);
    if (chosen.length < 2 || plain.hint !== "") return plain;
    const [lead] = chosen
      .map((selection) => ({ ...selection, size: sizeOf(selection, query, range) }))
      .toSorted((one, other) => one.size - other.size);
    if (lead === undefined) return plain;
    const conditions = [
      `e.${lead.column} = :${lead.name}`,
      ...chosen.filter(({ name }) => name !== lead.name).map(lookedUp),
      ...statusConditions(query.statusClass),
      ...hiddenConditions(query.hidden),
    ];
    return {
      hint: `INDEXED BY ${lead.index}`,
      sql: conditions.map((condition) => `AND ${condition}`).join(" "),
      values: plain.values,
    };
  };
}

function lookedUp({ name, column, index }: Selection): string {
  return `EXISTS (SELECT 1 FROM audit_entry o INDEXED BY ${index} WHERE o.chain = :chain AND o.${column} = :${name} AND o.seq = e.seq)`;
}
