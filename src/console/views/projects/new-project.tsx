// The form of a new project.

import { useState } from "preact/hooks";
import { administer } from "../../api/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure, failedField, readFailure } from "../../parts/failure.tsx";
import { Field } from "../../parts/field.tsx";
import { OptionFields } from "./option-fields.tsx";
import { changesOf, newOptions, type ProjectDetail } from "./project-detail.ts";

interface NewProjectProps {
  readonly onClose: () => void;
  readonly onCreated: (project: ProjectDetail) => void;
}

export function NewProject({ onClose, onCreated }: NewProjectProps) {
  const [name, setName] = useState("");
  const [options, setOptions] = useState(newOptions);
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    setRunning(true);
    try {
      onCreated(
        await administer<ProjectDetail>("project.create", { name, ...changesOf(newOptions, options) }),
      );
    } catch (failure) {
      setError(failure);
      setRunning(false);
    }
  };
  const isName = failedField(error) === "name";
  return (
    <Dialog title="New project" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Name"
          help="Unique in this installation."
          fault={isName ? readFailure(error).text : null}
        >
          {(control) => (
            <input
              {...control}
              required
              dir="auto"
              value={name}
              autocomplete="off"
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <OptionFields options={options} onChange={setOptions} error={error} />
        {error !== null && failedField(error) === null && <Failure error={error} />}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Button type="submit" class="primary" isOff={isRunning}>
            Create the project
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
