// Owns which notes a file holds that a person gives as a checkpoint: notes as they were signed, notes with the line ends of another
// system, or the JSON answer that a note came in. Must never check a signature.

import { isObject } from "../../json/json.ts";
import { parseCheckpoint } from "../checkpoint.ts";
import { isSignedNote, splitNotes, textOfNote } from "../signed-note.ts";

export interface SuppliedNotes {
  /** Notes in the format of a checkpoint, whoever signed them. */
  readonly notes: readonly string[];
  /** How many texts between them are no such notes. */
  readonly ignored: number;
}

/** A signed text holds no carriage return, so that one can only come from a program that changed the line ends. */
export function parseSuppliedNotes(file: string): SuppliedNotes {
  const text = (textsFromJson(file) ?? [file]).map(withPlainLineEnds).join("\n");
  const found = splitNotes(text);
  const notes = found.filter((note) => isSignedNote(note) && parseCheckpoint(textOfNote(note)) !== null);
  return { notes, ignored: found.length - notes.length };
}

function withPlainLineEnds(text: string): string {
  return `${text
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .trimEnd()}\n`;
}

/** From the answer of GET /v1/audit/checkpoint, or from that of `memledger audit checkpoint --json`; null for other files. */
function textsFromJson(file: string): readonly string[] | null {
  const answer = parseJson(file);
  if (!isObject(answer)) return null;
  const data = isObject(answer.data) ? answer.data : answer;
  const checkpoints: readonly unknown[] = Array.isArray(data.checkpoints) ? data.checkpoints : [data];
  return checkpoints.flatMap((each) => (isObject(each) && typeof each.note === "string" ? [each.note] : []));
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(file);
  } catch {
    return null;
  }
}
