// The form of a memory: for a new one, and to change one. What was typed is kept as a draft until it is stored or discarded.

import type { ComponentChildren } from "preact";
import { useDraft } from "../../drafts.ts";
import { Button } from "../../parts/button.tsx";
import { Failure, failedField, readFailure } from "../../parts/failure.tsx";
import { Field, Select, Switch } from "../../parts/field.tsx";
import { countText } from "../../parts/text/count.tsx";
import { TagInput } from "../../parts/text/tag-input.tsx";
import { useForm } from "../../parts/use-form.ts";
import { ExpiryInput } from "./expiry-input.tsx";
import { isFields, type MemoryFields } from "./memory-fields.ts";
import { typeNames } from "./memory-query.ts";

interface MemoryFormProps {
  /** Of the draft. */
  readonly name: string;
  readonly initial: MemoryFields;
  readonly isNew: boolean;
  /** Such as "Save". */
  readonly action: string;
  /** Stores the fields. Its error is shown, and the draft stays. */
  readonly store: (fields: MemoryFields) => Promise<void>;
  /** The draft stays. */
  readonly onClose: () => void;
  /** Shown below the fields. */
  readonly children?: (fields: MemoryFields) => ComponentChildren;
}

const contentMaxCharacters = 10_000;

export function MemoryForm(props: MemoryFormProps) {
  const { name, initial, isNew, action, store, onClose, children } = props;
  const draft = useDraft(name, initial, isFields);
  const { value: fields } = draft;
  const { error, isRunning, submit } = useForm(async () => {
    await store(fields);
    draft.clear();
    onClose();
  });
  const set = (changes: Partial<MemoryFields>) => draft.set({ ...fields, ...changes });
  const failed = failedField(error);
  const faultOf = (field: keyof MemoryFields) => (failed === field ? readFailure(error).text : null);
  const length = [...fields.content].length;
  return (
    <form
      class="memory-form"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        if (event.key === "Escape" && !isNew) {
          event.preventDefault();
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <Field
        label="Text"
        help={`${countText(length)} of ${countText(contentMaxCharacters)} characters`}
        fault={faultOf("content")}
      >
        {(control) => (
          <textarea
            {...control}
            class="content-input"
            dir="auto"
            rows={6}
            required
            ref={focusOnce}
            value={fields.content}
            onInput={({ currentTarget }) => set({ content: currentTarget.value })}
          />
        )}
      </Field>
      <div class="field-row">
        <Field label="Type" fault={faultOf("memory_type")}>
          {(control) => (
            <Select
              control={control}
              value={fields.memory_type}
              options={typeNames}
              onChange={(memory_type) => set({ memory_type })}
            />
          )}
        </Field>
        <Field label={`Importance ${fields.importance.toFixed(2)}`} fault={faultOf("importance")}>
          {(control) => (
            <input
              {...control}
              type="range"
              min={0}
              max={1}
              step={0.01}
              value={fields.importance}
              onInput={({ currentTarget }) => set({ importance: currentTarget.valueAsNumber })}
            />
          )}
        </Field>
        <Field label="Expires" fault={faultOf("expires_at")}>
          {(control) => (
            <ExpiryInput
              control={control}
              value={fields.expires_at}
              onChange={(expires_at) => set({ expires_at })}
            />
          )}
        </Field>
      </div>
      <Field label="Tags" help="Enter or a comma ends a tag." fault={faultOf("tags")}>
        {(control) => <TagInput control={control} tags={fields.tags} onChange={(tags) => set({ tags })} />}
      </Field>
      {!isNew && (
        <Switch label="Active" isOn={fields.is_active} onChange={(is_active) => set({ is_active })} />
      )}
      {children?.(fields)}
      {error !== null && !Object.keys(fields).includes(failed ?? "") && <Failure error={error} />}
      <footer>
        {draft.isChanged && (
          <button type="button" class="bare" onClick={draft.clear}>
            Discard
          </button>
        )}
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <Button type="submit" class="primary" isOff={isRunning}>
          {action}
        </Button>
      </footer>
    </form>
  );
}

/** A form opens because somebody wants to type. */
function focusOnce(field: HTMLTextAreaElement | null): void {
  if (field === null || field.dataset.focused !== undefined) return;
  field.dataset.focused = "";
  requestAnimationFrame(() => field.focus());
}
