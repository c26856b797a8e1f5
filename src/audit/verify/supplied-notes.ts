// Owns finding notes in a file that a person supplies as a checkpoint: signed notes, notes with the line ends of another system, the JSON
// answer that contains the note, or the receipt of a record, which ends with one, or a report. Must never verify a signature.

import { isObject } from "../../platform/json/json.ts";
import { parseAnyCheckpoint } from "../checkpoint.ts";
import { checkpointsIn } from "../report/file.ts";
import { isSignedNote, splitNotes, textOfNote } from "./note.ts";
import { parseTlogProof } from "./receipts/tlog-proof.ts";

interface SuppliedNotes {
  /** Notes in the format of a checkpoint, not verified. */
  readonly notes: readonly string[];
  /** Number of texts in the file that are not such notes. */
  readonly ignored: number;
}

/** A signed text contains no carriage return: if the file has one, a program has changed the line ends. */
export function parseSuppliedNotes(file: string): SuppliedNotes {
  const ofReport = checkpointsIn(file);
  const texts = (ofReport.length > 0 ? ofReport : (textsFromJson(file) ?? [file])).map(withPlainLineEnds);
  const text = texts.map((each) => parseTlogProof(each)?.note ?? each).join("\n");
  const found = splitNotes(text);
  const notes = found.filter((note) => isSignedNote(note) && parseAnyCheckpoint(textOfNote(note)) !== null);
  return { notes, ignored: found.length - notes.length };
}

function withPlainLineEnds(text: string): string {
  return `${text
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .trimEnd()}\n`;
}

/** The notes in an answer of GET /v1/audit/checkpoint or of `memledger audit checkpoint --json`; null for other files. */
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
