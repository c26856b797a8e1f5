// The dialog that saves the query as a check: the memory must be among its first results.

import { useState } from "preact/hooks";
import type { AgentMemory, SearchMode } from "../../../../clients/typescript/src/index.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { useForm } from "../../parts/use-form.ts";
import { useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { type Asked, toSearch } from "./comparison.ts";

/** What a person wants to save. */
export interface NewCheck {
  readonly mode: SearchMode;
  readonly memory: AgentMemory;
  /** Where the mode has placed the memory; null: it was not returned. */
  readonly place: number | null;
}

interface SaveCheckProps extends NewCheck {
  readonly asked: Asked;
  readonly onClose: () => void;
}

const withinDefault = 3;
const withinMax = 50;

export function SaveCheck({ asked, mode, memory, place, onClose }: SaveCheckProps) {
  const { client } = useProject();
  const query = useQuery();
  const [within, setWithin] = useState(Math.max(withinDefault, place ?? 0));
  const form = useForm(async () => {
    await client.checks.create({ ...toSearch(asked), mode, expected_memory_id: memory.id, within });
    onClose();
    showMessage({
      text: "The check was saved.",
      action: { label: "Show the checks", run: () => query.set({ tab: "checks" }) },
    });
  });
  return (
    <FormDialog title="Save as a check" form={form} action="Save the check" onClose={onClose}>
      <p>
        The {mode} search for <q dir="auto">{asked.query}</q> must find:
      </p>
      <blockquote dir="auto">{memory.content}</blockquote>
      <Field label="Among the first" help="If it is not, the check fails.">
        {(control) => (
          <input
            {...control}
            type="number"
            min={1}
            max={withinMax}
            required
            value={within}
            onInput={({ currentTarget }) => setWithin(currentTarget.valueAsNumber)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
