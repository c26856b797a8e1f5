// Owns changing many memories: those that are selected, or all that match, also if they were never loaded. Up to 1,000 are one call and one
// record. It can be ended between two calls; what is done stays done, and can be undone with the previous values that the server has answered.
// Deleting and undoing leave memories as they are that somebody else has changed meanwhile.

import type { MemoryListQuery, UpdateItem } from "../../../../clients/typescript/src/generated/models.ts";
import type { ProjectClient } from "../../api/calls.ts";
import { isSelected, type Selection } from "../../parts/table/selection.ts";
import { toFields } from "./memory-fields.ts";
import type { Memory } from "./memory-query.ts";

/** What is done with a memory; null: nothing, it is as wanted. */
export type ChangeOf = (memory: Memory) => Omit<UpdateItem, "memory_id"> | "delete" | null;

export interface Done {
  changed: number;
  refused: number;
  /** Why the first one was refused; null: none was. */
  reason: string | null;
  /** What undoes the changes. */
  readonly former: UpdateItem[];
  /** Those that were deleted. */
  readonly deleted: Memory[];
}

export interface Work {
  readonly selection: Selection;
  readonly filter: MemoryListQuery;
  /** Memories by id, as they were loaded last. */
  readonly loaded: ReadonlyMap<string, Memory>;
  readonly change: ChangeOf;
  readonly onDone: (memories: number) => void;
  readonly signal: AbortSignal;
}

const itemsMax = 1_000;
const pageSize = 100;
/** Their texts have to fit into one request. */
const createdAtOnce = 50;

/** @throws MemledgerError for a call that was refused as a whole; what was done before it stays done */
export async function changeSelected(client: ProjectClient, work: Work): Promise<Done> {
  const done = nothingDone();
  let performed = 0;
  for await (const memories of groups(client, work)) {
    if (work.signal.aborted) break;
    await changeGroup(client, work.change, memories, done);
    performed += memories.length;
    work.onDone(performed);
  }
  return done;
}

/** @returns how many memories are as before, and why the first other one is not. @throws MemledgerError */
export async function undoAll(
  client: ProjectClient,
  { former, deleted }: Done,
): Promise<Pick<Done, "changed" | "refused" | "reason">> {
  const undone = nothingDone();
  for (const memories of divided(former, itemsMax)) {
    const { updated, unchanged, ...rest } = await client.memories.updateBatch({ memories });
    count(undone, updated + unchanged, rest);
  }
  for (const memories of divided(deleted, createdAtOnce)) {
    const { created, ...rest } = await client.memories.createBatch({ memories: memories.map(toFields) });
    count(undone, created, rest);
  }
  return undone;
}

interface Answer {
  readonly refused: number;
  readonly results: readonly { readonly message?: string }[];
}

function count(done: Done, changed: number, { refused, results }: Answer): void {
  done.changed += changed;
  done.refused += refused;
  done.reason ??= results.find(({ message }) => message !== undefined)?.message ?? null;
}

function nothingDone(): Done {
  return { changed: 0, refused: 0, reason: null, former: [], deleted: [] };
}

async function changeGroup(client: ProjectClient, change: ChangeOf, memories: readonly Memory[], done: Done) {
  const items: UpdateItem[] = [];
  const leaving: Memory[] = [];
  for (const memory of memories) {
    const wanted = change(memory);
    if (wanted === "delete") leaving.push(memory);
    else if (wanted !== null) items.push({ ...wanted, memory_id: memory.id });
  }
  if (items.length > 0) {
    const { updated, ...rest } = await client.memories.updateBatch({ memories: items });
    count(done, updated, rest);
    for (const { id, former, updated_at } of rest.results)
      if (id !== undefined && former !== undefined)
        done.former.push({ ...former, memory_id: id, if_updated_at: updated_at });
  }
  if (leaving.length > 0) {
    const { deleted, ...rest } = await client.memories.deleteBatch({
      memory_ids: leaving.map(({ id }) => id),
      if_updated_at: leaving.map(({ updated_at }) => updated_at),
    });
    count(done, deleted, rest);
    done.deleted.push(...leaving.filter((_, index) => rest.results[index]?.status === "deleted"));
  }
}

async function* groups(client: ProjectClient, { selection, filter, loaded }: Work) {
  if (selection.kind === "some") {
    for (const ids of divided([...selection.ids], itemsMax))
      yield await Promise.all(ids.map((id) => loaded.get(id) ?? client.memories.read(id)));
    return;
  }
  // Oldest first: no change of a memory moves it in this order, so that each one is met once.
  const query = { ...filter, sort_by: "created_at", sort_dir: "asc", page_size: pageSize } as const;
  let group: Memory[] = [];
  for await (const memory of client.memories.iterate(query)) {
    if (isSelected(selection, memory.id)) group.push(memory);
    if (group.length < itemsMax) continue;
    yield group;
    group = [];
  }
  yield group;
}

function divided<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
