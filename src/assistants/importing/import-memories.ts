// Owns an import: it reads entries, checks them, and sends them in batches while it reads on. Keeps a few batches in memory, however large
// the source is.

import { Type } from "@sinclair/typebox";
import { type NewItem, readBatchItem } from "../../calls/operations/memories/batch-item.ts";
import { type MemoryType, memoryTypes } from "../../memory/memory.ts";
import { Refusal } from "../../platform/errors.ts";
import { createParser, Fields } from "../../platform/schema/schema.ts";
import { subjectName } from "../../platform/schema/subject-name.ts";
import { type BatchCalls, ImportStopped, type ItemResult } from "./batch-calls.ts";
import type { Entry, FoundMemory } from "./entry.ts";
import { batchesInFlight, batchItems, batchMaxCharacters, flushAfterMs } from "./limits.ts";

/** A place in a source. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export type PlacedEntry = Entry & { readonly file: string };

export interface ImportCounts {
  /** Memories of the source that are valid, by type. */
  readonly found: Record<MemoryType, number>;
  created: number;
  existing: number;
  /** Left out on purpose, such as expired memories. */
  skipped: number;
  refused: number;
}

export interface ImportOptions {
  readonly entries: AsyncIterable<PlacedEntry>;
  /** Null: a dry run. */
  readonly calls: BatchCalls | null;
  /** The type of memories for which the source has none. */
  readonly type: MemoryType;
  /** Added to those of each memory. */
  readonly tags: readonly string[];
  /** Of the memories for which the source has none; null: the project itself. */
  readonly subject: string | null;
  readonly now: number;
  /** What the source calls a field of a memory; undefined: the same. */
  sourceOf?(field: string): string | undefined;
  onMessage(place: Place, kind: "refused" | "skipped", text: string): void;
  /** @param memory JSON text of an item of a batch that is valid */
  onFound?(place: Place, memory: string, subject: string | null): void;
  onProgress(counts: ImportCounts): void;
}

interface Waiting extends Place {
  readonly text: string;
  /** Null: the project itself. */
  readonly subject: string | null;
}

/**
 * @param counts is changed while the import runs, so that it is known when the import fails
 * @throws ImportStopped, and what reading the entries throws; what was sent before is stored
 */
export async function importMemories(options: ImportOptions, counts: ImportCounts): Promise<void> {
  const { calls, onMessage, onProgress } = options;
  const running = new Set<Promise<void>>();
  const failure = Promise.withResolvers<never>();
  // It may happen while nobody waits for it.
  failure.promise.catch(() => {});
  const refuse = (place: Place, text: string) => {
    counts.refused += 1;
    onMessage(place, "refused", text);
  };
  const settle = (batch: readonly Waiting[], results: readonly ItemResult[]) => {
    for (const [at, result] of results.entries()) {
      const place = batch[at];
      if (place === undefined) continue;
      if (result.status === "refused") refuse(place, result.message);
      else counts[result.status] += 1;
    }
    onProgress(counts);
    const full = results.find((result) => result.status === "refused" && result.code === 2101);
    if (full?.status === "refused") throw new ImportStopped(full.message);
  };
  const send = async (batch: readonly Waiting[]) => {
    if (calls === null) return;
    while (running.size >= batchesInFlight) await Promise.race(running);
    const call = calls
      .store(batch, batch[0]?.subject ?? null)
      .then((results) => settle(batch, results))
      .catch(failure.reject)
      .finally(() => running.delete(call));
    running.add(call);
  };
  try {
    const batches = batchesOf(checkedOf(options, counts, refuse));
    // Not `for await`: a failure must not wait until a silent source goes on.
    for (;;) {
      const { done, value } = await Promise.race([failure.promise, batches.next()]);
      if (done === true) break;
      await send(value);
    }
  } finally {
    await Promise.all(running);
  }
  onProgress(counts);
  await Promise.race([failure.promise, null]);
}

export function noCounts(): ImportCounts {
  const found = Object.fromEntries(memoryTypes.map((type) => [type, 0])) as Record<MemoryType, number>;
  return { found, created: 0, existing: 0, skipped: 0, refused: 0 };
}

/** The valid items. */
async function* checkedOf(
  { entries, type, tags, subject, now, sourceOf, onMessage, onFound, onProgress }: ImportOptions,
  counts: ImportCounts,
  refuse: (place: Place, text: string) => void,
): AsyncGenerator<Waiting> {
  for await (const entry of entries) {
    const { file, line } = entry;
    const place = { file, line };
    const skip = (reason: string) => {
      counts.skipped += 1;
      onMessage(place, "skipped", reason);
    };
    if ("fault" in entry) refuse(place, entry.fault);
    else if ("skipped" in entry) skip(entry.skipped);
    else {
      const checked = check({ ...(subject !== null && { subject }), ...entry.memory }, type, tags, sourceOf);
      if ("fault" in checked) refuse(place, checked.fault);
      else if (checked.item.expiresAt !== null && checked.item.expiresAt <= now)
        skip("is a memory that has expired");
      else {
        counts.found[checked.item.type] += 1;
        onFound?.(place, checked.text, checked.subject);
        yield { ...place, text: checked.text, subject: checked.subject };
      }
    }
    onProgress(counts);
  }
}

/** The same check as in the server, so that a fault is known without a call. */
function check(
  { subject = null, ...memory }: FoundMemory,
  type: MemoryType,
  tags: readonly string[],
  sourceOf: ImportOptions["sourceOf"],
):
  | { readonly item: NewItem; readonly text: string; readonly subject: string | null }
  | { readonly fault: string } {
  const own = Array.isArray(memory.tags) ? memory.tags : [];
  const all = memory.tags !== undefined && !Array.isArray(memory.tags) ? memory.tags : [...own, ...tags];
  const hasTags = !Array.isArray(all) || all.length > 0;
  const unique = Array.isArray(all) ? [...new Set(all)] : all;
  const fields = { memory_type: type, ...memory, tags: hasTags ? unique : undefined };
  const text = JSON.stringify(fields);
  try {
    const owner = subject === null ? {} : readOwner({ subject });
    return { item: readBatchItem(JSON.parse(text)), text, subject: owner.subject ?? null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, data } = error;
    const source = typeof data.field === "string" ? sourceOf?.(data.field) : undefined;
    return {
      fault: source === undefined ? message : message.replace(`"${data.field}"`, () => `"${source}"`),
    };
  }
}

const readOwner = createParser(Fields({ subject: Type.Optional(subjectName) }));

/** Full batches, and what there is when the source is silent. A batch is for one subject. */
async function* batchesOf(items: AsyncGenerator<Waiting>): AsyncGenerator<readonly Waiting[]> {
  let batch: Waiting[] = [];
  let characters = 0;
  const take = () => {
    const taken = Map.groupBy(batch, ({ subject }) => subject);
    [batch, characters] = [[], 0];
    return taken.values();
  };
  for (let next = items.next(); ; next = items.next()) {
    const isSilent = batch.length > 0 && (await isLate(next));
    if (isSilent) yield* take();
    const { done, value } = await next;
    if (done === true) break;
    const isFull = batch.length === batchItems || characters + value.text.length > batchMaxCharacters;
    if (isFull && batch.length > 0) yield* take();
    batch.push(value);
    characters += value.text.length;
  }
  if (batch.length > 0) yield* take();
}

/** Whether nothing has come after `flushAfterMs`. */
async function isLate(next: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, flushAfterMs, true);
  next.then(
    () => resolve(false),
    () => resolve(false),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
