// Owns the receipts of erasures that a person gives to `memledger restore`: reading their files, verifying them, and the report. Must never
// write a file.

import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { type VerifiedErasure, verifyErasureReceipt } from "../../audit/verify/receipts/erasure-receipt.ts";
import { UnusableInput } from "../../audit/verify/verdict.ts";
import { type Json, type JsonObject, readJson } from "../../platform/json/json.ts";
import { counted } from "../../platform/text/plural.ts";
import { table } from "../terminal.ts";
import { readText } from "./evidence.ts";

/** What was read, and where. */
interface GivenReceipt {
  /** The file, with the number of the line if it has several receipts. */
  readonly source: string;
  readonly value: Json;
}

/** @throws UnusableInput when a file cannot be read or is not JSON */
export function readReceipts(paths: readonly string[]): readonly GivenReceipt[] {
  return paths.flatMap((path) => {
    const text = readText(path);
    const whole = readJson(text);
    if (whole !== undefined) return [{ source: path, value: whole }];
    return text.split("\n").flatMap((line, index) => {
      if (line.trim() === "") return [];
      const [source, value] = [`${path}, line ${index + 1},`, readJson(line)];
      if (value !== undefined) return [{ source, value }];
      throw new UnusableInput(
        `${source} is not JSON. Give a file with a receipt, with the answer that has it, or with one of them in each line. Nothing was restored.`,
      );
    });
  });
}

/** @param keys verifier keys of the ledger. @throws UnusableInput when one of them is not a receipt of this ledger */
export function requireReceipts(
  given: readonly GivenReceipt[],
  keys: readonly string[],
): readonly VerifiedErasure[] {
  return given.map(({ source, value }) => {
    const found = verifyErasureReceipt(value, keys, runtimeCryptography);
    if (typeof found !== "string") return found;
    throw new UnusableInput(
      `${source} is not a receipt of an erasure in this ledger: ${found}. Correct --erasures. If the signing key was changed after the backup was made, add --public-key FILE with the audit.pub of the server. Nothing was restored.`,
    );
  });
}

/** What the restore has done for a receipt. */
export type RepeatedErasure = JsonObject;

export function toRepeated(
  given: readonly GivenReceipt[],
  receipts: readonly VerifiedErasure[],
  answers: readonly JsonObject[],
): readonly RepeatedErasure[] {
  return receipts.map(({ project, subject, at }, index) => ({
    source: given[index]?.source ?? "",
    project,
    subject,
    erased_at: at,
    ...answers[index],
  }));
}

export function erasuresText(erasures: readonly RepeatedErasure[]): string {
  const rows = erasures.map(({ subject, erased_at, result, memories, records }) => [
    subject,
    erased_at,
    result === "erased"
      ? `erased again: ${counted(Number(memories), "memory", "memories")}, ${counted(Number(records), "record")}`
      : meanings[String(result)],
  ]);
  return `The erasures of ${counted(erasures.length, "receipt")}:\n\n${table(["subject", "erased at", "in this backup"], rows)}`;
}

const meanings: Readonly<Record<string, string>> = {
  recorded: "erased before it was made: nothing was changed",
  absent: "no such subject or conversation, or it was erased again before: nothing was changed",
};
