// Owns changing memories: each change is shown at once, and its message offers to undo it by storing the previous values. Must never guess
// them: they are those of the memory as the server has returned it. A memory that somebody else has changed since is not changed.

import type { MemoryUpdateRequest } from "../../../../clients/typescript/src/generated/models.ts";
import type { ProjectClient } from "../../api/calls.ts";
import { readFailure } from "../../parts/failure.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { linkTo } from "../../project.ts";
import { type MemoryFields, toCreation, toFields, toUpdate } from "./memory-fields.ts";
import type { Memory } from "./memory-query.ts";

/** What the view shows after a change. */
export interface MemoryShown {
  readonly changed: (memory: Memory) => void;
  readonly created: (memory: Memory) => void;
  readonly removed: (id: string) => void;
}

export interface MemoryChanges {
  /** @param done what the message says. @throws MemledgerError */
  readonly update: (before: Memory, changes: MemoryUpdateRequest, done?: string) => Promise<void>;
  /** @throws MemledgerError */
  readonly create: (fields: MemoryFields) => Promise<void>;
  /** @throws MemledgerError */
  readonly remove: (memory: Memory) => Promise<void>;
  /** Shows the memory as it is now. @throws MemledgerError */
  readonly refresh: (id: string) => Promise<void>;
}

export function memoryChanges({ memories }: ProjectClient, shown: MemoryShown): MemoryChanges {
  const changes: MemoryChanges = {
    async update(before, changes, done = "The memory was changed.") {
      const after = await memories.update(before.id, { ...changes, if_updated_at: before.updated_at });
      shown.changed(after);
      const previous = toUpdate(toFields(after), toFields(before));
      showMessage({
        text: done,
        ...undo(previous !== null, () => restore(after, previous ?? {})),
        link: checksLink(after.subject),
      });
    },
    async create(fields) {
      const memory = await memories.create(toCreation(fields));
      shown.created(memory);
      showMessage({ text: "The memory was stored.", ...undo(true, () => takeBack(memory)) });
    },
    async remove(memory) {
      await memories.delete(memory.id);
      shown.removed(memory.id);
      showMessage({ text: "The memory was deleted.", ...undo(true, () => createAgain(memory)) });
    },
    async refresh(id) {
      shown.changed(await memories.read(id));
    },
  };
  const restore = async ({ id, updated_at }: Memory, previous: MemoryUpdateRequest) => {
    shown.changed(await memories.update(id, { ...previous, if_updated_at: updated_at }));
    showMessage({ text: "The previous values were restored." });
  };
  const takeBack = async ({ id }: Memory) => {
    await memories.delete(id);
    shown.removed(id);
    showMessage({ text: "The new memory was deleted." });
  };
  /** Deleted memories do not come back: the ledger keeps their deletion, so this is another memory with the same values. */
  const createAgain = async (memory: Memory) => {
    const { results } = await memories.createBatch({ memories: [toFields(memory)] });
    const [result] = results;
    if (result?.id === undefined) throw new Error(result?.message ?? "The memory was not created.");
    shown.created(await memories.read(result.id));
    showMessage({ text: "The memory was created again, with a new id." });
  };
  return changes;
}

/** A change can have the effect that a search no longer finds what it should. @param subject whose memories have changed */
export function checksLink(subject: string | null = null) {
  return { label: "Run the checks", href: linkTo("search", { subject, tab: "checks", run: "1" }) };
}

/** The action of a message. Its failure is a message, too. */
export function undo(isPossible: boolean, run: () => Promise<void>) {
  if (!isPossible) return {};
  const fail = (error: unknown) => showMessage({ kind: "warning", text: readFailure(error).text });
  return { action: { label: "Undo", run: () => void run().catch(fail) } };
}
