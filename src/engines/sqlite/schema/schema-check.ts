// Owns the comparison of a database's schema with the schema that memledger creates: every table, index, trigger and view, byte for
// byte. Must never read a table of the database, and needs no native library, because `audit verify` uses it too.
//
// Why everything is compared: a view that replaces a table, a trigger or a partial index can show other records to the server than to
// a verifier. Why with a text, and not with what the migrations make at this moment: every thread compares when it opens the database,
// and a verifier has no library in which they run.

import frozen from "./schema.sql" with { type: "text" };

/** A row of sqlite_master. */
export interface SchemaObject {
  /** table, index, trigger or view; in a forged file any text. */
  readonly type: string;
  readonly name: string;
  /** The table that it belongs to. */
  readonly table: string;
  /** Null: an index that SQLite created for a constraint. */
  readonly sql: string | null;
}

/** Not the alias `sqlite_schema`: a forged view could have that name. SQLite does not open a file with a second sqlite_master. */
export const schemaQuery = 'SELECT type, name, tbl_name AS "table", sql FROM main.sqlite_master';

/**
 * Tables that Litestream creates in every database that it replicates, as it defines them. Nothing of ours reads them, and a table cannot
 * change what another one shows. They are not part of a schema: see docs/engineer/AUDIT-FORMAT.md.
 */
const foreignTables: readonly SchemaObject[] = [
  {
    type: "table",
    name: "_litestream_seq",
    table: "_litestream_seq",
    sql: "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)",
  },
  {
    type: "table",
    name: "_litestream_lock",
    table: "_litestream_lock",
    sql: "CREATE TABLE _litestream_lock (id INTEGER)",
  },
];

/** Whether the object is not part of a schema, and exactly as another program that we know defines it. */
export function isForeignTable(object: SchemaObject): boolean {
  return foreignTables.some((known) => isSame(known, object));
}

function isSame(one: SchemaObject, other: SchemaObject): boolean {
  return (
    one.type === other.type && one.name === other.name && one.table === other.table && one.sql === other.sql
  );
}

/** The first difference from the schema of this format, as a clause; null when there is none. */
export function findSchemaDifference(found: readonly SchemaObject[], format: number): string | null {
  const ours = ofFormat(format);
  const seen = new Set<string>();
  for (const object of found.filter((each) => !isForeignTable(each))) {
    const { type, name } = object;
    const forms = ours.filter((object) => object.name === name);
    if (forms.length === 0) return `the ${type} ${name} is not part of a memledger database`;
    const isOurs = forms.some((form) => isSame(form, object));
    if (!isOurs || seen.has(name)) return `the ${type} ${name} is not defined as memledger defines it`;
    seen.add(name);
  }
  const missing = ours.find(({ name, state }) => state === null && !seen.has(name));
  return missing === undefined ? null : `the ${missing.type} ${missing.name} is missing`;
}

interface SchemaVariant {
  /** Whether the model was changed since the database was created, and whether a change has begun. */
  readonly state: string;
  readonly objects: readonly SchemaObject[];
}

/** From this format on, two tables exchange their names when the model changes; before it, a table was made and renamed. */
export const exchangeFormat = 6;

/** Every schema that a database of this format can have. */
export function schemaVariants(format: number): readonly SchemaVariant[] {
  const ours = ofFormat(format);
  const plain = ours.filter(({ state }) => state === null);
  const inState = (wanted: string, name?: string) =>
    ours.filter((object) => object.state === wanted && (name === undefined || object.name === name));
  const replace = (forms: readonly SchemaObject[]) => [
    ...plain.filter(({ name }) => forms.every((object) => object.name !== name)),
    ...forms,
  ];
  const after = inState("after reembed");
  if (format >= exchangeFormat) {
    const [vector] = inState("after reembed", "memory_vector");
    const previous = vector === undefined ? [] : [vector];
    return [
      { state: "as made", objects: plain },
      { state: "after reembed", objects: replace(after) },
      { state: "after two reembeds", objects: replace(inState("after two reembeds")) },
      { state: "after reembed in an older format", objects: replace(previous) },
      {
        state: "after reembed in an older format and in this one",
        objects: replace([...previous, ...inState("after two reembeds", "memory_vector_next")]),
      },
    ];
  }
  const during = inState("during reembed");
  return [
    { state: "as made", objects: plain },
    { state: "after reembed", objects: replace(after) },
    { state: "during reembed", objects: [...plain, ...during] },
    { state: "during another reembed", objects: [...replace(after), ...during] },
  ];
}

/** The hash of each variant in docs/engineer/AUDIT-FORMAT.md, so that other verifiers need no copy of the schema. */
export function schemaDigest(schema: readonly SchemaObject[]): string {
  const lines = schema.map(({ type, name, table, sql }) => `${JSON.stringify([type, name, table, sql])}\n`);
  return new Bun.CryptoHasher("sha256").update(lines.toSorted().join("")).digest("hex");
}

interface FrozenObject extends SchemaObject {
  /** Formats that have it, both included. */
  readonly first: number;
  readonly last: number;
  /** Null: the object always exists, in this form unless another form of it exists. */
  readonly state: string | null;
}

const heading =
  /^-- (\d+)\.\.(\d*) (table|index|trigger) (\S+) ON ([^\s,]+)(?:, ((?:after|during) reembed|after two reembeds))?$/;
const objects: readonly FrozenObject[] = frozen.split(/^(?=-- \d+\.\.)/m).flatMap(toObject);

function ofFormat(format: number): readonly FrozenObject[] {
  return objects.filter(({ first, last }) => first <= format && format <= last);
}

function toObject(section: string): FrozenObject[] {
  const end = section.indexOf("\n");
  const match = heading.exec(section.slice(0, end));
  if (match === null) return [];
  const [, first, last, type = "", name = "", table = "", state = null] = match;
  const sql = section.slice(end + 1).trimEnd();
  const formats = { first: Number(first), last: last === "" ? Number.POSITIVE_INFINITY : Number(last) };
  return [{ ...formats, type, name, table, sql: sql === "" ? null : sql, state }];
}
