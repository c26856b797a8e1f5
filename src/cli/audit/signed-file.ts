// Owns what the verifications of one signed file have in common: the public keys, and the output. Must never write a file.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { acceptKeys } from "../../audit/verify/evidence.ts";
import { splitNotes } from "../../audit/verify/note.ts";
import { readKeys } from "../../audit/verify/note-reader.ts";
import { UnusableInput, type Verdict, verdicts } from "../../audit/verify/verdict.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import { toPrintableLine } from "../../platform/text/printable.ts";
import { rotationsPath } from "../../server/ledger/ledger-rotation.ts";
import type { Session } from "../command.ts";
import { list, type Report } from "../terminal.ts";
import { inputNames, readText } from "./evidence.ts";

interface LedgerKeys {
  readonly keys: readonly string[];
  readonly remarks: readonly string[];
}

/**
 * The public keys of the ledger, and their successors if audit.rotations is beside the file or the key.
 * @param kind what the file is, such as `receipt`
 * @throws UnusableInput
 */
export function keysFor(file: string, publicKey: unknown, kind: string): LedgerKeys {
  const beside = join(dirname(file), "audit.pub");
  const given = typeof publicKey === "string" ? publicKey : beside;
  if (publicKey === undefined && !existsSync(beside))
    throw new UnusableInput("No public key was given or found. Add --public-key FILE.");
  const keys = readKeys(readText(given), given, runtimeCryptography);
  const rotations = [file, given]
    .map((path) => rotationsPath(dirname(path)))
    .find((path) => existsSync(path));
  const statements = rotations === undefined ? [] : splitNotes(readText(rotations));
  const accepted = acceptKeys(keys, statements, inputNames, runtimeCryptography);
  const isBeside = publicKey === undefined;
  const remark = `The public key was read from ${beside}. Whoever made the ${kind} can have put it there: give a copy from a source that you trust with --public-key FILE.`;
  return { keys: accepted.keys, remarks: [...(isBeside ? [remark] : []), ...accepted.remarks] };
}

/** What was found of the file. */
interface Finding {
  readonly verdict: Verdict;
  readonly headline: string;
  readonly proved: readonly string[];
  readonly notProved: readonly string[];
  readonly facts: JsonObject;
  /** Null, or absent: there is none to show. */
  readonly payload?: JsonObject | null;
}

export function toReport(
  { verdict, headline, proved, notProved, facts, payload = null }: Finding,
  remarks: readonly string[],
): Report {
  const data = {
    valid: verdict !== "broken",
    verdict,
    exit_code: verdicts[verdict],
    ...(verdict === "broken" ? { reason: headline.replace(/^NOT VALID: /, "") } : {}),
    ...facts,
    ...(payload === null ? {} : { contents: payload }),
    proved,
    not_proved: notProved,
    remarks,
  };
  const parts = [
    headline,
    ...(proved.length === 0
      ? []
      : [list(facts), section("Proved:", proved), section("Not proved:", notProved)]),
    ...(payload === null ? [] : [`Contents:\n${toPrintableLine(JSON.stringify(payload))}`]),
    ...remarks,
  ];
  return { data, text: parts.join("\n\n") };
}

/** Names in it are from the file. */
function section(title: string, sentences: readonly string[]): string {
  return [title, ...sentences.map((sentence) => `- ${toPrintableLine(sentence)}`)].join("\n");
}

/** @throws the error if it is another one */
export function unusableReport(session: Session, error: unknown): Report {
  if (!(error instanceof UnusableInput)) throw error;
  session.exitCode = verdicts.unusable;
  const data = { valid: false, verdict: "unusable", exit_code: session.exitCode, reason: error.message };
  return { data, text: `UNUSABLE: ${error.message}` };
}
