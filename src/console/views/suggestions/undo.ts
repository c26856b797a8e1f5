// Owns undoing a decision with the calls that there are: an accepted one is undone by storing the values from before, a refused proposal is
// proposed again. What was found by comparing memories cannot be proposed.

import type {
  BatchItem,
  DecisionResult,
  SuggestedChange,
  Suggestion,
} from "../../../../clients/typescript/src/generated/models.ts";
import { isAllowed } from "../../access.ts";
import type { ProjectClient } from "../../api/calls.ts";

type Undo = () => Promise<void>;

/** Null: nothing can be undone. @param results of the call that has decided */
export function undoOf(
  client: ProjectClient,
  suggestions: readonly Suggestion[],
  results: readonly DecisionResult[],
): Undo | null {
  const undos = results.flatMap(({ id, status, changes = [] }): Undo[] => {
    const suggestion = suggestions.find((each) => each.id === id);
    if (status === "accepted") return [() => restore(client, changes)];
    return status === "refused" && suggestion !== undefined && canPropose(suggestion)
      ? [() => proposeAgain(client, suggestion)]
      : [];
  });
  if (undos.length === 0) return null;
  return async () => {
    // What was accepted last is undone first, because an earlier change may have made room for its text.
    for (const undo of undos.toReversed()) await undo();
  };
}

async function restore({ memories }: ProjectClient, changes: readonly SuggestedChange[]): Promise<void> {
  for (const { change, id, before, updated_at } of changes.toReversed()) {
    if (change === "created" && id !== null) await memories.delete(id);
    if (change === "changed" && id !== null)
      await memories.update(id, { ...valuesOf(before), if_updated_at: updated_at });
    if (change !== "deleted") continue;
    // The previous values are those of a memory, as the server has sent them.
    const { results } = await memories.createBatch({ memories: [valuesOf(before) as unknown as BatchItem] });
    const [result] = results;
    if (result?.id === undefined) throw new Error(result?.message ?? "The memory was not created.");
  }
}

const proposed = ["create", "change", "replace", "delete"] as const;

function canPropose({ kind, outdated }: Suggestion): boolean {
  return isAllowed("memory.propose") && !outdated && proposed.some((each) => each === kind);
}

async function proposeAgain({ suggestions }: ProjectClient, suggestion: Suggestion): Promise<void> {
  const { memories, changes, reason, quotes } = suggestion;
  const kind = proposed.find((each) => each === suggestion.kind);
  if (kind === undefined) return;
  const after = changes.find(({ change }) => change === (kind === "change" ? "changed" : "created"))?.after;
  const values = valuesOf(after ?? null);
  // A new memory is always active.
  if (kind !== "change") delete values.is_active;
  await suggestions.create({
    kind,
    ...(kind === "create" ? {} : { memory_id: memories[0]?.id }),
    ...values,
    ...(reason === null ? {} : { reason }),
    ...(quotes.length === 0 ? {} : { quotes }),
  });
}

const names = ["content", "memory_type", "importance", "is_active", "expires_at", "tags", "metadata"];

/** The values that a person can change. */
function valuesOf(values: SuggestedChange["before"]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([name]) => names.includes(name)));
}
