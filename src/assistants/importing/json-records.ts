// Owns the JSON objects of a source, with the number of the line on which each begins: one object in each line (JSON Lines), or the
// elements of the array of one document.

import { isObject, type JsonObject } from "../../platform/json/json.ts";
import { JsonFault, parseJson } from "../../platform/json/json-text.ts";
import type { Entry } from "./entry.ts";
import { type InMember, type JsonElement, readJsonElements } from "./json-elements.ts";
import type { Source } from "./source.ts";
import { readTextLines } from "./text-lines.ts";

export type JsonRecord = InMember & ({ readonly value: JsonObject } | { readonly fault: string });

/**
 * Blank lines are left out.
 * @param withMembers as readJsonElements
 */
export async function* readJsonRecords(
  { head, stream }: Pick<Source, "head" | "stream">,
  withMembers = false,
): AsyncGenerator<JsonRecord> {
  const pieces = isDocument(head) ? readJsonElements(stream, withMembers) : linesOf(stream);
  for await (const piece of pieces) {
    const { line, member } = piece;
    if ("fault" in piece) yield piece;
    else if (piece.text.trim() !== "") yield { line, member, ...parse(piece.text) };
  }
}

async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<JsonElement> {
  for await (const line of readTextLines(stream)) yield { ...line, member: null };
}

/** What the objects of a source become, one after the other; what is no object stays a fault. */
export async function* readEntries(
  source: Pick<Source, "head" | "stream">,
  toEntry: (line: number, value: JsonObject) => Entry,
): AsyncGenerator<Entry> {
  for await (const record of readJsonRecords(source))
    yield "value" in record ? toEntry(record.line, record.value) : record;
}

/** The first object; null when there is none in the head. */
export async function firstRecord(head: string): Promise<JsonObject | null> {
  const bytes = Buffer.from(head);
  for await (const record of readJsonRecords({
    head,
    stream: (async function* () {
      yield bytes;
    })(),
  })) {
    if ("value" in record) return record.value;
  }
  return null;
}

/** Each part begins with another character than the one before ends with, so that no text is read in several ways. */
const document =
  /^\s*(\[|\{[ \t\r]*\n|\{\s*("(count|total|next|previous|page|page_size|agent_type)"\s*:\s*("(\\.|[^"\\])*"|[\w.+-]+)\s*,\s*)*"(results|memories|agents|core_memory|passages|edges|episodes|nodes|facts|items)"\s*:\s*\[)/;

/** An array, or an object over several lines, or with an array of a name that formats have. Other sources have one object in each line. */
function isDocument(head: string): boolean {
  return document.test(head);
}

function parse(text: string): { readonly value: JsonObject } | { readonly fault: string } {
  try {
    const value = parseJson(text);
    return isObject(value) ? { value } : { fault: 'is not a JSON object, such as {"content": "..."}' };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { field, reason } = error;
    return { fault: field === null ? reason : `has a field "${field}" that ${reason}` };
  }
}
