// Owns the calls that store batches, until each item has a result. It divides a batch that is refused as a whole. Repeating a call is safe,
// because items that are stored are known.

import { isObject, type JsonObject } from "../../platform/json/json.ts";
import { CallRefused } from "../../platform/received-answer.ts";
import { version } from "../../platform/version.ts";
import { AccessRefused, OutcomeUnknown, ServerUnreachable } from "../local-access/channel-failure.ts";
import { isBusy, type RepeatedCall } from "../local-access/repeated-call.ts";

/** An item of a batch as JSON text. */
export interface BatchText {
  readonly text: string;
}

export type ItemResult =
  | { readonly status: "created" | "existing" }
  | { readonly status: "refused"; readonly code: number; readonly message: string };

/** The import cannot go on: the server refuses it, or cannot be reached. */
export class ImportStopped extends Error {}

export interface BatchCalls {
  /** The results in the order of the items. @param subject whose they are; null: the project's own. @throws ImportStopped */
  store(items: readonly BatchText[], subject: string | null): Promise<readonly ItemResult[]>;
}

/** Codes that depend on one item, or on the size of the batch. */
const divisible: readonly number[] = [1400, 1413, 1500];

export function createBatchCalls(call: RepeatedCall, format: string): BatchCalls {
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": `memledger-import/${version}`,
    "X-Audit-Metadata": JSON.stringify({ import_format: format }),
  };
  const store: BatchCalls["store"] = async (items, subject) => {
    const owner = subject === null ? "" : `"subject":${JSON.stringify(subject)},`;
    const body = `{${owner}"memories":[${items.map(({ text }) => text).join(",")}]}`;
    let data: JsonObject;
    try {
      data = await call("/v1/memories/batch", { method: "POST", headers, body });
    } catch (error) {
      if (!isOfCall(error)) throw error;
      if (!(error instanceof CallRefused && divisible.includes(error.code)))
        throw new ImportStopped(error.message, { cause: error });
      const { code, message } = error;
      if (items.length === 1) return [{ status: "refused", code, message }];
      const half = Math.ceil(items.length / 2);
      return [...(await store(items.slice(0, half), subject)), ...(await store(items.slice(half), subject))];
    }
    return storeAgain(items, toResults(data, items.length), subject);
  };

  /** Items that were refused because others changed meanwhile. They are known or new the next time. */
  const storeAgain = async (
    items: readonly BatchText[],
    results: readonly ItemResult[],
    subject: string | null,
  ) => {
    const again = items.filter((_, at) => isRetryable(results[at]));
    if (again.length === 0) return results;
    const later = [...(await store(again, subject))];
    return results.map((result) => (isRetryable(result) ? (later.shift() ?? result) : result));
  };
  return { store };
}

function isOfCall(error: unknown): error is Error {
  return [CallRefused, AccessRefused, OutcomeUnknown, ServerUnreachable].some(
    (kind) => error instanceof kind,
  );
}

function isRetryable(result: ItemResult | undefined): boolean {
  return result?.status === "refused" && isBusy(result.code);
}

/** @throws ImportStopped for the answer of another program or version */
function toResults({ results }: JsonObject, count: number): ItemResult[] {
  if (!Array.isArray(results) || results.length !== count) throw new ImportStopped(otherAnswer);
  return results.map((result) => {
    const { status, code, message } = isObject(result) ? result : {};
    if (status === "created" || status === "existing") return { status };
    if (status !== "refused") throw new ImportStopped(otherAnswer);
    return { status, code: Number(code), message: String(message) };
  });
}

const otherAnswer =
  "The answer of the server is not that of a batch. Check that the server is memledger, in the version of this program or a later one.";
