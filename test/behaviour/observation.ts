// Owns the form in which answers and records of the ledger are written into a recording.

import { type RecordRow, type Reply, type TestApp, toReply } from "../fixture.ts";
import { printBody, printJson } from "./recording.ts";

/** Headers of every answer, which are written once, and those that are not of the product. */
const usual: Readonly<Record<string, string | null>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "content-type": "application/json",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
const ofTheServer = new Set(["date", "content-length", "connection", "keep-alive", "transfer-encoding"]);

/** An answer that may be no JSON. */
export async function readReply(response: Response): Promise<Reply> {
  const { status, headers } = response;
  const text = await readWhatComes(response);
  const isJson = headers.get("content-type") === "application/json" && text.startsWith("{");
  return { ...toReply(status, headers, isJson ? text : ""), text };
}

/** A body may break off. */
async function readWhatComes({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of body ?? []) text += decoder.decode(bytes, { stream: true });
    return text;
  } catch {
    return `${text}\n<the connection was closed>`;
  }
}

export function printReply({ status, headers, text }: Pick<Reply, "status" | "headers" | "text">): string[] {
  const differing = [...headers].filter(([name, value]) => !ofTheServer.has(name) && usual[name] !== value);
  const missing = Object.keys(usual).filter((name) => !headers.has(name));
  return [
    `< ${status}`,
    ...differing.map(([name, value]) => `< ${name}: ${value}`),
    ...missing.map((name) => `< no ${name}`),
    text === "" ? "" : printBody(text),
  ];
}

export interface Ledger {
  /** The number of records of each chain. */
  mark(): readonly number[];
  /** Whether a chain got a record of this action since then. */
  has(mark: readonly number[], action: string): boolean;
  /** What the chains got since then. @param answered a body that a record repeats is not written again */
  since(mark: readonly number[], answered: string): string[];
}

/** @param chains the ids of projects; null: the installation */
export function watchLedger(
  app: Pick<TestApp, "countRecords" | "records">,
  chains: readonly (string | null)[],
): Ledger {
  return {
    mark: () => chains.map((chain) => app.countRecords(chain)),
    has: (mark, action) =>
      chains.some((chain, at) => app.records(chain, mark[at] ?? 0).some((row) => row.action === action)),
    since: (mark, answered) =>
      chains.flatMap((chain, at) =>
        app
          .records(chain, mark[at] ?? 0)
          .map((row) => printRecord(row, chain ?? "the installation", answered)),
      ),
  };
}

function printRecord({ action, status, entry, payload }: RecordRow, chain: string, answered: string): string {
  const { response_body, ...others } = payload;
  const isRepeated = response_body !== undefined && isSame(response_body, answered);
  const shown = isRepeated ? { ...others, response_body: "<the answer>" } : payload;
  return `= record of ${chain}: ${action} ${status}\n${printJson(entry)}\n${printJson(shown)}`;
}

function isSame(recorded: unknown, answered: string): boolean {
  try {
    return Bun.deepEquals(recorded, JSON.parse(answered));
  } catch {
    return false;
  }
}
