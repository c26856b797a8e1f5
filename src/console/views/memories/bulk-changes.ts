// Owns changing many memories: those that are selected, or all that match, also if they were never loaded. It can be ended at any time;
// what is done stays done, and can be undone with the values that the memories had before.

import type { Memledger } from "../../../../clients/typescript/src/client.ts";
import type {
  MemoryListQuery,
  MemoryUpdateRequest,
} from "../../../../clients/typescript/src/generated/models.ts";
import { isSelected, type Selection } from "../../parts/selection.ts";
import type { Memory } from "./memory-query.ts";

/** What is done with each memory; null: nothing, it is as wanted. */
export type ChangeOf = (memory: Memory) => MemoryUpdateRequest | "delete" | null;

export interface Done {
  /** As they were before. */
  readonly before: Memory[];
  /** Why the last one that was refused was; null: none was. */
  failure: unknown;
  refused: number;
}

/** Each takes little time; more at once would be refused by the plan's rate. */
const atOnce = 4;
const pageSize = 100;

/**
 * Calls `change` for all selected memories.
 * @param loaded memories by id, as they were loaded last
 * @throws MemledgerError when the list cannot be read
 */
export async function changeSelected(
  client: Memledger,
  work: {
    readonly selection: Selection;
    readonly filter: MemoryListQuery;
    readonly loaded: ReadonlyMap<string, Memory>;
    readonly change: ChangeOf;
    readonly onEach: (done: number, memory: Memory | null) => void;
    readonly signal: AbortSignal;
  },
): Promise<Done> {
  const { selection, change, onEach, signal } = work;
  const done: Done = { before: [], failure: null, refused: 0 };
  let count = 0;
  const perform = async (memory: Memory) => {
    const wanted = change(memory);
    try {
      const after =
        wanted === null
          ? memory
          : wanted === "delete"
            ? await client.memories.delete(memory.id).then(() => null)
            : await client.memories.update(memory.id, wanted);
      if (wanted !== null) done.before.push(memory);
      count += 1;
      onEach(count, after);
    } catch (error) {
      done.refused += 1;
      done.failure = error;
    }
  };
  const pages =
    selection.kind === "some"
      ? known(client, [...selection.ids], work.loaded)
      : matching(client, work.filter, selection);
  for await (const memories of pages) {
    for (let start = 0; start < memories.length; start += atOnce) {
      if (signal.aborted) return done;
      await Promise.all(memories.slice(start, start + atOnce).map(perform));
    }
  }
  return done;
}

async function* known(client: Memledger, ids: readonly string[], loaded: ReadonlyMap<string, Memory>) {
  for (let start = 0; start < ids.length; start += pageSize) {
    const page = ids.slice(start, start + pageSize);
    yield await Promise.all(page.map((id) => loaded.get(id) ?? client.memories.read(id)));
  }
}

/** Oldest first: no change of a memory moves it in this order, so that each one is met once. */
async function* matching(client: Memledger, filter: MemoryListQuery, selection: Selection) {
  let cursor: string | undefined;
  do {
    const page = await client.memories.list({
      ...filter,
      sort_by: "created_at",
      sort_dir: "asc",
      page_size: pageSize,
      cursor,
    });
    yield page.memories.filter(({ id }) => isSelected(selection, id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
