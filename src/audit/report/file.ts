// Owns the two forms of the file of a report: a page that contains the JSON, and the JSON alone. Must never verify a signature.

import { isObject, objectsIn, readJson, textIn } from "../../platform/json/json.ts";

const jsonOpens = '<script type="application/json" id="report">';
const noteOpens = '<script type="text/plain" id="signature">\n';
/** This file is in the script of the saved page of the console, too, which would end at this text. */
const closes = endOf("script");

function endOf(name: string): string {
  return `</${name}>`;
}

export interface ReportFile {
  readonly form: "html" | "json";
  /** The JSON of the report, as it was signed. */
  readonly text: string;
  readonly note: string;
  /** The whole page without the note; null: there is no page. */
  readonly page: string | null;
}

/** @param page made by `renderReport` @param note signed */
export function withNote(page: string, note: string): string {
  return page.replace(noteOpens, () => noteOpens + note);
}

/** The elements of a page that hold the report and its signature, which is put into it later. */
export function signedElements(text: string): string {
  return `${jsonOpens}${text}${closes}\n${noteOpens}${closes}\n`;
}

/** @param text of the report */
export function jsonFile(text: string, note: string): string {
  return `{"note":${JSON.stringify(note)},"report":${text}}\n`;
}

/** Null when the file has neither form. Line ends of another system and white space at the end are no change. */
export function readReportFile(content: string): ReportFile | null {
  const file = `${content
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .trimEnd()}\n`;
  return readPage(file) ?? readJsonFile(file);
}

function readPage(file: string): ReportFile | null {
  const text = between(file, jsonOpens);
  const note = between(file, noteOpens);
  if (text === null || note === null) return null;
  return { form: "html", text, note, page: file.replace(noteOpens + note, () => noteOpens) };
}

function readJsonFile(file: string): ReportFile | null {
  const [, quoted = "", text = ""] = /^\{"note":("(?:[^"\\]|\\.)*"),"report":(\{.*\})\}\n$/s.exec(file) ?? [];
  const note = textIn(readJson(quoted));
  return note !== null && JSON.stringify(note) === quoted ? { form: "json", text, note, page: null } : null;
}

/** What is in the only element that opens so; null: there is none, or several. */
function between(file: string, opens: string): string | null {
  const parts = file.split(opens);
  const end = parts[1]?.indexOf(closes) ?? -1;
  return parts.length === 2 && end >= 0 ? (parts[1]?.slice(0, end) ?? null) : null;
}

/** The checkpoints in a report; none in another file. */
export function checkpointsIn(content: string): readonly string[] {
  const value = readJson(readReportFile(content)?.text ?? "");
  const chains = isObject(value) ? objectsIn(value.chains) : [];
  const notes = chains.flatMap(({ checkpoint, attested }) =>
    objectsIn([checkpoint ?? null, attested ?? null]),
  );
  return notes.map(({ note }) => textIn(note)).filter((note) => note !== null);
}
