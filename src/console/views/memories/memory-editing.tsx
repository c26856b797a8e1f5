// The form that changes a memory. Its draft belongs to the version that the person began with: when somebody else has changed the memory
// meanwhile, the fields that the person has not touched follow, and the panel shows what the other one has changed.

import { useEffect, useState } from "preact/hooks";
import { ApiError, MemledgerError } from "../../../../clients/typescript/src/errors.ts";
import { useDraft } from "../../drafts.ts";
import { ChangedFields } from "./changed-fields.tsx";
import type { MemoryChanges } from "./memory-changes.ts";
import { isFields, isMemory, rebased, toFields, toUpdate } from "./memory-fields.ts";
import { MemoryForm } from "./memory-form.tsx";
import type { Memory } from "./memory-query.ts";

interface MemoryEditingProps {
  readonly memory: Memory;
  readonly changes: MemoryChanges;
  readonly onClose: () => void;
}

/** Of the API: the memory was changed meanwhile. */
const changedMeanwhile = 2108;

export function MemoryEditing({ memory, changes, onClose }: MemoryEditingProps) {
  const name = `memory.${memory.id}`;
  const draft = useDraft(name, toFields(memory), isFields);
  /** The version to which the draft belongs. */
  const known = useDraft<Memory>(`${name}.known`, memory, isMemory);
  /** The version before somebody else has changed it; null: nobody has. */
  const [previous, setPrevious] = useState<Memory | null>(null);
  useEffect(() => {
    if (draft.isChanged && known.value.updated_at !== memory.updated_at) {
      setPrevious(previous ?? known.value);
      draft.set(rebased(draft.value, toFields(known.value), toFields(memory)));
    }
    known.set(memory);
  }, [memory.updated_at]);
  return (
    <MemoryForm
      name={name}
      initial={toFields(memory)}
      isNew={false}
      action="Save"
      onClose={onClose}
      store={async (fields) => {
        const update = toUpdate(toFields(memory), fields);
        try {
          if (update !== null) await changes.update(memory, update);
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== changedMeanwhile) throw error;
          await changes.refresh(memory.id);
          throw new MemledgerError(
            "Somebody else has changed the memory, so nothing was stored. Compare both changes, and save again.",
          );
        }
        known.clear();
      }}
    >
      {(fields) => (
        <>
          {previous !== null && (
            <section class="meanwhile">
              <h3>Changed by somebody else meanwhile</h3>
              <ChangedFields before={toFields(previous)} after={toFields(memory)} label="What has changed" />
              <h3>Your change</h3>
            </section>
          )}
          <ChangedFields before={toFields(memory)} after={fields} />
        </>
      )}
    </MemoryForm>
  );
}
