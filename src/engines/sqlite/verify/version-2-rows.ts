// Owns the comparison of records of version 2 with other rows of the database: pseudonyms, and memories that were made from a conversation.
// Never writes.

import type { Entry } from "../../../audit/verify/entry-parser.ts";
import { isErased, type ParsedParts, readText } from "../../../audit/verify/part-lines.ts";
import { joinParts } from "../../../audit/verify/part-places.ts";
import { parsePayload, type RecordFault } from "../../../audit/verify/record-checks.ts";
import { isObject, type JsonObject } from "../../../platform/json/json.ts";
import { answerOf, listsForeignMemory } from "./owners.ts";
import { isDamage, type LedgerSource } from "./source.ts";

/** A row of audit_pseudonym. */
export interface PseudonymRow {
  /** Of audit_entry. */
  readonly number: number;
  /** Null: there is no such pseudonym. */
  readonly id: string | null;
  /** Id of the project of the pseudonym. */
  readonly project: string | null;
  readonly kind: string | null;
  /** 1: the owner is another than a subject of the same project. */
  readonly hasOtherOwner: number;
}

/** Those of records with numbers above `above`, up to `through`, by number. The check of the tables compares the index with the rows. */
export function readPseudonyms(source: LedgerSource, above: number, through: number): PseudonymRow[] {
  const sql = `SELECT a.entry AS number, p.id, o.id AS project, p.kind,
      p.owner IS NOT NULL AND (s.project IS NOT p.project OR s.kind <> 'subject') AS hasOtherOwner FROM audit_pseudonym a
    LEFT JOIN pseudonym p ON p.serial = a.pseudonym LEFT JOIN project o ON o.serial = p.project LEFT JOIN pseudonym s ON s.serial = p.owner
    WHERE a.entry > ? AND a.entry <= ? ORDER BY a.entry`;
  return source.all(sql, above, through) as PseudonymRow[];
}

interface RecordRows {
  /** Of audit_chain. */
  readonly chain: number;
  /** Id; null: of the installation, which may name pseudonyms of every project. */
  readonly project: string | null;
  readonly pseudonyms: readonly PseudonymRow[];
}

/** Rows that must not be there are reported to `onStray`. */
export function checkRows(
  source: LedgerSource,
  rows: RecordRows,
  entry: Entry,
  parts: ParsedParts | null,
  onStray: () => void,
): RecordFault | null {
  const needed = pseudonymsOf(entry, parts);
  // Most records have none.
  const isFree = needed.size === 0 && rows.pseudonyms.length === 0;
  const fault = isFree ? null : checkPseudonyms(source, rows, entry, needed, onStray);
  if (fault !== null || parts === null) return fault;
  const { action, status } = entry;
  const listing = { chain: rows.chain, action, status };
  const lists = listsForeignMemory(source, listing, () => answerOf(joinParts(parts)), true);
  const message = lists
    ? "a memory in the answer belongs to another project in this database"
    : (checkNames(source, parts) ?? checkSources(source, rows.chain, parts));
  return message === null ? null : { check: "owner", message };
}

function pseudonymsOf({ v2 }: Entry, parts: ParsedParts | null): ReadonlySet<string> {
  const named = new Set<string>();
  for (const own of [v2?.subject, v2?.conversation]) if (own != null) named.add(own);
  for (const header of parts?.headers ?? []) for (const one of header?.about ?? []) named.add(one);
  return named;
}

function checkPseudonyms(
  source: LedgerSource,
  { project, pseudonyms }: RecordRows,
  entry: Entry,
  needed: ReadonlySet<string>,
  onStray: () => void,
): RecordFault | null {
  const found = new Map(pseudonyms.map((row) => [row.id, row]));
  if (pseudonyms.some(({ id }) => id === null || !needed.has(id))) onStray();
  const absent = [...needed].filter((id) => !found.has(id));
  const unknown = absent.filter((id) => nameOf(source, id) === undefined);
  if (absent.length > unknown.length)
    return { check: "columns", message: "a row of audit_pseudonym is missing" };
  const isForeign = [...needed].some((id) => {
    const row = found.get(id);
    return row !== undefined && ((project !== null && row.project !== project) || row.hasOtherOwner === 1);
  });
  const kinds = { subject: entry.v2?.subject, conversation: entry.v2?.conversation };
  const isOther = Object.entries(kinds).some(([kind, id]) => id != null && found.get(id)?.kind !== kind);
  if (unknown.length === 0 && !isForeign && !isOther) return null;
  return {
    check: "owner",
    message: "a pseudonym of the record has no row, or one of another project, kind or owner",
  };
}

/** Undefined: the pseudonym has no row. */
function nameOf(source: LedgerSource, id: string): string | null | undefined {
  const [row] = source.all("SELECT name FROM pseudonym WHERE id = ?", id) as { name: string | null }[];
  return row?.name ?? (row === undefined ? undefined : null);
}

/** Whether one of these pseudonyms has a name. */
export function haveName(source: LedgerSource, pseudonyms: readonly string[]): boolean {
  return pseudonyms.some((id) => typeof nameOf(source, id) === "string");
}

const namesPlace = /^\/names\/\d+$/;

/** While a part has a name, the row of the pseudonym must have it. */
function checkNames(source: LedgerSource, { content, lines, headers }: ParsedParts): string | null {
  for (const [index, line] of lines.entries()) {
    if (isErased(line) || headers[index]?.at.some((place) => namesPlace.test(place)) !== true) continue;
    const item = parsePayload(readText(content, line) ?? "");
    const { pseudonym = null, name = null } = item ?? {};
    if (typeof pseudonym !== "string" || typeof name !== "string" || nameOf(source, pseudonym) !== name)
      return "the row of a pseudonym has another name than the record";
  }
  return null;
}

const madeOf = Buffer.from('"made_of":');
const idForm = /^[0-9a-f]{32}$/;

/** The sources of memories must have the parts of which the memories were made, and the rows of the memories must say the same. */
function checkSources(source: LedgerSource, chain: number, { content, lines }: ParsedParts): string | null {
  const [first] = lines;
  if (first === undefined || isErased(first) || !includesMadeOf(content)) return null;
  const items = parsePayload(readText(content, first) ?? "")?.made_of;
  if (items === undefined) return null;
  const areMade = Array.isArray(items) && items.every((item) => isMadeOf(source, chain, item));
  if (!areMade) return "a memory was made of a part that its source does not have";
  const isOther = items.some((item) => isObject(item) && isMadeOfOther(source, item));
  return isOther ? "the row of a memory names another source than the record" : null;
}

/** Searching bytes costs a fourth of decoding them. */
function includesMadeOf(content: Uint8Array): boolean {
  return (Buffer.isBuffer(content) ? content : Buffer.from(content)).includes(madeOf);
}

function isMadeOf(source: LedgerSource, chain: number, item: unknown): boolean {
  const { memory, record, parts }: JsonObject = isObject(item) ? item : {};
  if (![memory, record].every((id) => typeof id === "string" && idForm.test(id))) return false;
  const sql = `SELECT entry ->> '$.parts' AS parts FROM audit_entry WHERE chain = ?1 AND id = ?2
    AND seq > (SELECT COALESCE(MAX(through), 0) FROM audit_anchor WHERE chain = ?1)`;
  const [row] = source.all(sql, chain, String(record)) as { parts: number | null }[];
  const count = row === undefined ? Number.POSITIVE_INFINITY : Number(row.parts ?? 0);
  const isPart = (part: unknown) => Number.isSafeInteger(part) && Number(part) >= 0 && Number(part) < count;
  return Array.isArray(parts) && parts.every(isPart);
}

/** A memory that was restored with its id has no source in its row. */
function isMadeOfOther(source: LedgerSource, { memory, parts, record }: JsonObject): boolean {
  const sql = "SELECT 1 FROM memory WHERE id = ? AND made_of <> ?";
  try {
    return source.all(sql, String(memory), JSON.stringify({ parts, record })).length > 0;
  } catch (error) {
    // The check of the tables reports damage of the memories.
    if (!isDamage(error)) throw error;
    return false;
  }
}
