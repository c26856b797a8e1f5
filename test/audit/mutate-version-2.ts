// Changes databases and exports of version 2 of the record format at random places, each one file a little, in the ways in which somebody
// could: who can write the file, and who holds the signing key, too. The same changes for the same seed. Must never touch an honest file.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import canonicalize from "canonicalize";
import { createRandom } from "../../bench/texts.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import type { Database } from "../../src/platform/native/sqlite.ts";
import { keyHolderChanges } from "./mutate-version-2-key.ts";
import type { Question } from "./second-verifier.ts";
import { tamper } from "./tamper.ts";
import {
  alice,
  type MadeVersion2,
  makeVersion2Database,
  type Version2Options,
} from "./version-2-database.ts";
import { type Export2Plan, makeVersion2Export } from "./version-2-export.ts";

export interface Dice {
  /** A whole number below this one. */
  below(count: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

export interface Mutation {
  /** What was changed, without the place. */
  readonly kind: string;
  readonly seed: number;
  /** Which of the changes it was. */
  readonly turn: number;
  readonly question: Question;
}

type Changed = Pick<Mutation, "kind" | "question">;

interface Base {
  readonly made: MadeVersion2;
  /** All checkpoints, where nobody can change them. */
  readonly kept: string;
}

const folders: readonly Version2Options[] = [
  { records: 40, checkpointEvery: 10 },
  { records: 60, anchor: 20, checkpointEvery: 10 },
  { records: 290, anchor: 262, checkpointEvery: 50 },
];

export function createDice(seed: number): Dice {
  const random = createRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("there is nothing to choose from");
      return item;
    },
  };
}

/** One changed file for each seed, each in a folder of its own. Every kind of change has its turn. */
export function mutate(folder: string, seeds: readonly number[]): Mutation[] {
  const bases = folders.map((options, index) =>
    keep(makeVersion2Database(join(folder, `honest-${index}`), options)),
  );
  const [first] = bases;
  if (first === undefined) throw new Error("there is no base");
  return seeds.map((seed, index): Mutation => {
    const dice = createDice(seed);
    const place = join(folder, String(index));
    const [, change] = ways[index % ways.length] ?? [];
    const found = change?.({ place, dice, bases, turn: Math.floor(index / ways.length) });
    if (found === undefined) throw new Error("there is no such change");
    return { ...found, seed, turn: index };
  });
}

export function keep(made: MadeVersion2): Base {
  const kept = `${made.folder}.kept`;
  const notes = made.chains.flatMap(({ notes: all }) => [...all.values()].map(({ note }) => `${note}\n`));
  writeFileSync(kept, notes.join(""));
  return { made, kept };
}

interface Turn {
  readonly place: string;
  readonly dice: Dice;
  readonly bases: readonly Base[];
  readonly turn: number;
}

type Way = readonly [name: string, change: (turn: Turn) => Changed];

const ways: readonly Way[] = [
  ["a cell", (turn) => inDatabase(turn, changeCell)],
  ["rows", (turn) => inDatabase(turn, changeRows)],
  ["the parts of a payload", (turn) => inDatabase(turn, changeParts)],
  ["records that are stamped again", (turn) => inDatabase(turn, stampAgain)],
  ["what the holder of the key writes", byKeyHolder],
  ["an export", inExport],
  ["a cell", (turn) => inDatabase(turn, changeCell)],
  ["an export of the holder of the key", inSignedExport],
];

type Change = (database: Database, dice: Dice) => string;

/** A change that the database does not take is made at another place. */
function inDatabase({ place, dice, bases }: Turn, change: Change): Changed {
  const { made, kept } = dice.pick(bases);
  mkdirSync(place);
  const path = join(place, "memledger.db");
  copyFileSync(made.database, path);
  const kind = { found: "" };
  tamper(path, (database) => {
    database.exec("DROP INDEX audit_entry_by_seq");
    for (let attempt = 0; kind.found === "" && attempt < 100; attempt++) {
      try {
        kind.found = database.transaction(() => change(database, dice))();
      } catch (error) {
        if (attempt === 99) throw error;
      }
    }
  });
  return {
    kind: kind.found,
    question: { path, checkpoints: given(kept, dice), publicKey: join(made.folder, "audit.pub") },
  };
}

const tables = [
  "audit_chain",
  "audit_entry",
  "audit_payload",
  "audit_checkpoint",
  "audit_anchor",
  "audit_node",
  "audit_pseudonym",
  "pseudonym",
] as const;

type Row = Record<string, unknown>;

/** Not everybody has kept checkpoints. */
const given = (kept: string, dice: Dice) => (dice.below(3) === 0 ? [] : [kept]);

const columnsOf = (database: Database, table: string) =>
  database.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table);
const rowsOf = (database: Database, table: string) =>
  database.prepare<[], Row>(`SELECT * FROM ${table} ORDER BY 1, 2`).all();

function update(database: Database, table: string, row: Row, column: string, value: unknown): void {
  const where = Object.keys(row)
    .map((name) => `${name} IS ?`)
    .join(" AND ");
  const values = Object.values(row);
  const { changes } = database
    .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`)
    .run(value, ...values);
  if (changes !== 1) throw new Error("nothing was changed");
}

/** For the list of what need not be found. */
function nameOf(database: Database, table: string, row: Row, column: string): string {
  if (table === "pseudonym") {
    const sql = "SELECT 1 FROM audit_pseudonym WHERE pseudonym = ?";
    if (database.prepare(sql).get(row.serial) === undefined) return "row of pseudonym of nobody";
  }
  const isRoot = table === "audit_checkpoint" && /^memledger\/\w+\/2\n/.test(String(row.note));
  return `${table}.${column}${isRoot ? " of version 2" : ""}`;
}

function changeCell(database: Database, dice: Dice): string {
  const table = dice.pick(tables);
  const column = dice.pick(columnsOf(database, table));
  const row = dice.pick(rowsOf(database, table));
  const name = nameOf(database, table, row, column);
  update(database, table, row, column, otherValue(row[column], dice));
  return name;
}

/** Another value of the same kind: one byte of a text or blob changed, a number by a little, or null. */
export function otherValue(value: unknown, dice: Dice): unknown {
  if (value === null) return dice.pick(["x", 1]);
  if (typeof value === "boolean") return !value;
  if (dice.below(12) === 0) return null;
  if (typeof value === "number") return value + dice.pick([1, -1, 2, 1000]);
  const bytes = Buffer.from(value instanceof Uint8Array ? value : String(value));
  const [index, by] = [dice.below(bytes.length), 1 + dice.below(255)];
  const byte = bytes[index] ?? 0;
  if (value instanceof Uint8Array) {
    bytes[index] = byte ^ by;
    return bytes;
  }
  // Texts stay UTF-8, so that SQLite gives back what was written.
  const letter = (byte >= 0x30 && byte <= 0x39 ? 0x30 : 0x61) + (by % 10);
  bytes[index] = byte === letter ? letter + 1 : letter;
  return bytes.toString();
}

function changeRows(database: Database, dice: Dice): string {
  const table = dice.pick(tables);
  const rows = rowsOf(database, table);
  const [one, other] = [dice.pick(rows), dice.pick(rows)];
  const names = Object.keys(one);
  const way = dice.pick(["removed", "copied", "exchanged", "end"]);
  if (way === "end") return cutEnd(database, dice);
  if (way === "removed") {
    const name = nameOf(database, table, one, "");
    const where = names.map((name) => `${name} IS ?`).join(" AND ");
    database.prepare(`DELETE FROM ${table} WHERE ${where}`).run(...Object.values(one));
    return table === "pseudonym" && name.endsWith("of nobody") ? name : `row of ${table} removed`;
  }
  const column = dice.pick(names);
  if (Bun.deepEquals(one[column], other[column])) throw new Error("the same");
  if (way === "copied") {
    const copy = { ...one, [column]: otherValue(one[column], dice) };
    const marks = names.map(() => "?").join();
    database.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${marks})`).run(...Object.values(copy));
    return `row of ${table} copied`;
  }
  const kinds = [one, other].map((row) => nameOf(database, table, row, column));
  update(database, table, one, column, other[column]);
  update(database, table, other, column, one[column]);
  // What one of the two shows is enough.
  const kind =
    kinds.find((name) => !name.endsWith("of nobody") && !name.endsWith("of version 2")) ?? kinds[0];
  return kind?.endsWith("of nobody") ? kind : `${kind} exchanged`;
}

/** The newest records of a chain, and what belongs to them. */
function cutEnd(database: Database, dice: Dice): string {
  const chain = 2;
  const seqs = seqsOf(database, chain);
  const through = (seqs.at(-1) ?? 0) - 1 - dice.below(Math.min(20, seqs.length - 1));
  const gone = `SELECT number FROM audit_entry WHERE chain = ${chain} AND seq > ${through}`;
  database.exec(`DELETE FROM audit_pseudonym WHERE entry IN (${gone}); DELETE FROM audit_payload WHERE entry IN (${gone});
    DELETE FROM audit_entry WHERE number IN (${gone})`);
  if (dice.below(2) === 1)
    database.exec(`DELETE FROM audit_checkpoint WHERE chain = ${chain} AND size > ${through}`);
  return "end cut";
}

function seqsOf(database: Database, chain: number): number[] {
  return database
    .prepare<[number], number>("SELECT seq FROM audit_entry WHERE chain = ? ORDER BY seq")
    .pluck()
    .all(chain);
}

interface StoredPayload {
  readonly entry: number;
  readonly salt: Uint8Array;
  readonly text: Uint8Array;
}

function changeParts(database: Database, dice: Dice): string {
  const sql = `SELECT p.entry, p.salt, p.text FROM audit_payload p JOIN audit_entry e ON e.number = p.entry
    WHERE json_extract(e.entry, '$.v') = 2 ORDER BY 1`;
  const { entry, salt, text } = dice.pick(database.prepare<[], StoredPayload>(sql).all());
  const lines = Buffer.from(Bun.zstdDecompressSync(new Uint8Array(text)))
    .toString()
    .split("\n")
    .slice(0, -1);
  const pieces = cutSalt(lines, Buffer.from(salt));
  const way = dice.pick(Object.keys(partChanges));
  const changed = partChanges[way]?.(lines, pieces, dice);
  if (changed === undefined || Bun.deepEquals(changed, [lines, pieces])) throw new Error("the same");
  const [newLines, newPieces] = changed;
  database
    .prepare("UPDATE audit_payload SET salt = ?, text = ? WHERE entry = ?")
    .run(Buffer.concat(newPieces), Bun.zstdCompressSync(newLines.map((line) => `${line}\n`).join("")), entry);
  return `parts: ${way}`;
}

function cutSalt(lines: readonly string[], salt: Buffer): Buffer[] {
  let at = 0;
  return lines.map((line) => {
    const from = at;
    at += line.includes("\t") ? 16 : 32;
    return salt.subarray(from, at);
  });
}

type PartChange = (lines: string[], salts: Buffer[], dice: Dice) => [string[], Buffer[]];

/** Of the lines of a payload, and what is in `salt` for each of them. */
export const partChanges: Readonly<Record<string, PartChange>> = {
  text(lines, salts, dice) {
    const index = dice.below(lines.length);
    return [lines.with(index, String(otherValue(lines[index], dice) ?? "")), salts];
  },
  salt(lines, salts, dice) {
    const index = dice.below(salts.length);
    const other = otherValue(salts[index], dice);
    return [lines, salts.with(index, other instanceof Buffer ? other : Buffer.alloc(0))];
  },
  exchanged(lines, salts, dice) {
    const [one, other] = [dice.below(lines.length), dice.below(lines.length)];
    const swap = <Item>(items: Item[]) => {
      const copy = [...items];
      [copy[one], copy[other]] = [copy[other] as Item, copy[one] as Item];
      return copy;
    };
    return [swap(lines), swap(salts)];
  },
  removed(lines, salts, dice) {
    const index = dice.below(lines.length);
    return [lines.toSpliced(index, 1), salts.toSpliced(index, 1)];
  },
  added(lines, salts, dice) {
    const index = dice.below(lines.length);
    return [
      [...lines, lines[index] ?? ""],
      [...salts, salts[index] ?? Buffer.alloc(0)],
    ];
  },
  erased(lines, salts, dice) {
    const index = dice.below(lines.length);
    const [header = "", text] = (lines[index] ?? "").split("\t");
    if (text === undefined)
      return [lines.with(index, `${header}\tnull`), salts.with(index, Buffer.alloc(16))];
    const hash = new Bun.CryptoHasher("sha256").update("memledger/text/v2\0").update(salts[index] ?? "");
    return [lines.with(index, header), salts.with(index, Buffer.from(hash.update(text).digest()))];
  },
  withheld(lines, salts, dice) {
    const index = dice.below(lines.length);
    const hash = new Bun.CryptoHasher("sha256").update(lines[index] ?? "").digest();
    return [lines.with(index, "{}"), salts.with(index, Buffer.from(hash))];
  },
  "without its text"(lines, salts, dice) {
    const index = dice.below(lines.length);
    return [lines.with(index, (lines[index] ?? "").split("\t")[0] ?? ""), salts];
  },
};

/** Another entry with its hash and its columns; then those after it, if the links are to hold. */
function stampAgain(database: Database, dice: Dice): string {
  const chain = dice.pick([1, 2, 3]);
  const seqs = seqsOf(database, chain);
  const from = dice.pick(seqs);
  const follows = dice.below(2) === 1;
  const read = database
    .prepare<[number, number], string>("SELECT entry FROM audit_entry WHERE chain = ? AND seq = ?")
    .pluck();
  const write = database.prepare(
    `UPDATE audit_entry SET entry = ?1, hash = ?2, id = ?1 ->> '$.id', action = ?1 ->> '$.action', status = ?1 ->> '$.status',
       key = ?1 ->> '$.key', memory = ?1 ->> '$.memory' WHERE chain = ?3 AND seq = ?4`,
  );
  let prev: string | null = null;
  for (const seq of seqs.filter((one) => one === from || (follows && one > from))) {
    const entry: JsonObject = JSON.parse(read.get(chain, seq) ?? "{}");
    const next: JsonObject = seq === from ? { ...entry, ...otherMember(entry, dice) } : { ...entry, prev };
    const text = canonicalize(next) ?? "";
    if (text === canonicalize(entry)) throw new Error("the same");
    prev = new Bun.CryptoHasher("sha256").update(`memledger/entry/v${next.v}\0${text}`).digest("hex");
    write.run({ 1: text, 2: prev, 3: chain, 4: seq });
  }
  return follows ? "chain stamped again" : "record stamped again";
}

/** A member with another value that has the form of the page, or none. */
function otherMember(entry: JsonObject, dice: Dice): JsonObject {
  return dice.pick<JsonObject>([
    { status: Number(entry.status) + 1 },
    { code: 2100 },
    { action: "memory.other" },
    { id: alice },
    { payload_hash: "0".repeat(64) },
    { prev: "0".repeat(64) },
    { subject: alice },
    { conversation: alice },
    { parts: Number(entry.parts ?? 0) + 1 },
    { v: entry.v === 2 ? 1 : 2 },
    { v: 3 },
    { seq: Number(entry.seq) + 1 },
    { person: alice },
    { more: 1 },
    { more: 1, since: "0.9.0" },
    { numbers: { ...(entry.numbers as JsonObject), tokens: { more: 1 } } },
    { numbers: {} },
    { performed: false },
    { chain: alice },
    { project: null },
  ]);
}

function byKeyHolder({ place, dice, turn }: Turn): Changed {
  const [kind, options, rotations] = keyHolderChanges[turn % keyHolderChanges.length]?.(dice) ?? ["", {}];
  const { made, kept } = keep(makeVersion2Database(place, { records: 40, checkpointEvery: 10, ...options }));
  if (rotations !== undefined) writeFileSync(join(place, "audit.rotations"), rotations);
  return {
    kind: `key: ${kind}`,
    question: { path: made.database, checkpoints: given(kept, dice), publicKey: null },
  };
}

/** Of the records of the first project. */
function planOf(place: string, dice: Dice): Export2Plan {
  const format = dice.pick(["json", "csv"] as const);
  const common = {
    format,
    first: dice.pick([1, 4, 5, 6, 9]),
    last: 40,
    name: `${place.split("/").at(-1)}.${format}`,
  };
  return dice.pick<Export2Plan>([
    common,
    { ...common, without: [7, 9, 30] },
    { ...common, parts: [alice] },
    { ...common, parts: [""] },
  ]);
}

/** A byte of the file or of its manifest. */
function inExport({ place, dice, bases }: Turn): Changed {
  const [{ made, kept } = raise()] = bases;
  const path = makeVersion2Export(made, planOf(place, dice));
  const [kind, file] = dice.pick([
    ["byte of an export", path] as const,
    ["byte of a manifest", `${path}.manifest`] as const,
  ]);
  const bytes = readFileSync(file);
  const index = dice.below(bytes.length);
  bytes[index] = (bytes[index] ?? 0) ^ (1 + dice.below(255));
  writeFileSync(file, dice.below(5) === 0 ? bytes.subarray(0, index) : bytes);
  return { kind, question: { path, checkpoints: [kept], publicKey: null } };
}

function raise(): never {
  throw new Error("there is no base");
}

/** Rows, or members of the manifest, with hashes and signatures that fit. */
function inSignedExport({ place, dice, bases }: Turn): Changed {
  const [{ made, kept } = raise()] = bases;
  let kind = "";
  const plan = planOf(place, dice);
  const isOfRows = dice.below(3) > 0;
  const path = makeVersion2Export(made, {
    ...plan,
    ...(isOfRows
      ? {
          forge: (rows) => {
            const [what, changed] = changeExported(rows, dice);
            kind = what;
            return changed;
          },
        }
      : {
          forgeManifest: (manifest) => {
            const name = dice.pick(Object.keys(manifest));
            kind = `manifest.${name}`;
            const value = manifest[name] ?? null;
            const other = Array.isArray(value)
              ? dice.pick([
                  value.slice(1),
                  [...value, value[0] ?? "x"],
                  value.map((one) => otherValue(one, dice)),
                ])
              : otherValue(typeof value === "object" && value !== null ? JSON.stringify(value) : value, dice);
            return { ...manifest, [name]: other as string };
          },
        }),
  });
  return { kind, question: { path, checkpoints: [kept], publicKey: null } };
}

function changeExported(rows: JsonObject[], dice: Dice): [string, JsonObject[]] {
  const [index, other] = [dice.below(rows.length), dice.below(rows.length)];
  const row = rows[index] ?? {};
  const way = dice.pick(["cell", "cell", "cell", "removed", "copied", "exchanged", "parts", "parts"]);
  if (way === "removed") return ["row of an export removed", rows.toSpliced(index, 1)];
  if (way === "copied") return ["row of an export copied", rows.toSpliced(index, 0, row)];
  if (way === "exchanged" && index !== other)
    return ["rows of an export exchanged", rows.with(index, rows[other] ?? {}).with(other, row)];
  if (
    way === "parts" &&
    typeof row.payload === "string" &&
    row.parts !== null &&
    String(row.entry).endsWith('"v":2}')
  ) {
    const lines = row.payload.split("\n").slice(0, -1);
    const name = dice.pick(Object.keys(partChanges));
    const [newLines, newSalts] = partChanges[name]?.(
      lines,
      cutSalt(lines, Buffer.from(String(row.salt), "hex")),
      dice,
    ) ?? [[], []];
    const payload = newLines.map((line) => `${line}\n`).join("");
    const changed = { ...row, payload, salt: Buffer.concat(newSalts).toString("hex") };
    if (!Bun.deepEquals(changed, row)) return [`export, parts: ${name}`, rows.with(index, changed)];
  }
  const column = dice.pick(Object.keys(row));
  const value = row[column] ?? null;
  const changed = typeof value === "object" && value !== null ? null : otherValue(value, dice);
  return [`column ${column}`, rows.with(index, { ...row, [column]: changed as string })];
}
