// Owns the text of the note that signs a report. Its first line is that of no other note, so that a report is never taken for a checkpoint.

import { fromTimestamp, toTimestamp } from "../../platform/time/timestamp.ts";

/** States: the holder of the key has made this report. */
export interface ReportStatement {
  readonly chain: string;
  /** Of the period, in milliseconds since 1970; both included. */
  readonly from: number;
  readonly to: number;
  /** SHA-256 of the JSON text, and of the page without this note: 64 lower-case hexadecimal characters. */
  readonly report: string;
  readonly page: string;
}

export function statementText({ chain, from, to, report, page }: ReportStatement): string {
  return `memledger-report/${chain}\n${toTimestamp(from)}\n${toTimestamp(to)}\n${report}\n${page}\n`;
}

/** Null when the text is not such a statement. */
export function parseStatement(text: string): ReportStatement | null {
  const [, chain = "", start = "", end = "", report = "", page = ""] =
    /^memledger-report\/([0-9a-f]{32})\n(\S+)\n(\S+)\n([0-9a-f]{64})\n([0-9a-f]{64})\n$/.exec(text) ?? [];
  const [from, to] = [fromTimestamp(start), fromTimestamp(end)];
  if (from === null || to === null) return null;
  const statement = { chain, from, to, report, page };
  return statementText(statement) === text ? statement : null;
}
