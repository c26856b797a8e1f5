// The dialog that adds tags to the selected memories and removes others.

import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { TagInput } from "../../parts/text/tag-input.tsx";
import { useData } from "../../parts/use-data.ts";
import { useProject } from "../../project.ts";
import type { ChangeOf } from "./bulk-changes.ts";

interface BulkTagsProps {
  readonly run: (change: ChangeOf) => void;
  readonly onClose: () => void;
}

export function BulkTags({ run, onClose }: BulkTagsProps) {
  const { id, client } = useProject();
  const [added, setAdded] = useState<readonly string[]>([]);
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const known = useData(id, (signal) => client.memories.tags({}, { signal })).value?.tags.map(
    ({ tag }) => tag,
  );
  const change: ChangeOf = () => ({ add_tags: added, remove_tags: removed });
  return (
    <Dialog title="Tags of the selected memories" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          run(change);
        }}
      >
        <Field label="Add" help="Enter or a comma ends a tag.">
          {(control) => <TagInput control={control} tags={added} onChange={setAdded} known={known ?? []} />}
        </Field>
        <Field label="Remove">
          {(control) => (
            <TagInput control={control} tags={removed} onChange={setRemoved} known={known ?? []} />
          )}
        </Field>
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Button type="submit" class="primary" isOff={added.length + removed.length === 0}>
            Change the tags
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
