// The form of a new project.

import { useState } from "preact/hooks";
import { administer } from "../../api/calls.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { failedField, readFailure } from "../../parts/failure.tsx";
import { Field } from "../../parts/field.tsx";
import { useForm } from "../../parts/use-form.ts";
import { OptionFields } from "./option-fields.tsx";
import { changesOf, newOptions, type ProjectDetail } from "./project-detail.ts";

interface NewProjectProps {
  readonly onClose: () => void;
  readonly onCreated: (project: ProjectDetail) => void;
}

export function NewProject({ onClose, onCreated }: NewProjectProps) {
  const [name, setName] = useState("");
  const [options, setOptions] = useState(newOptions);
  const form = useForm(async () => {
    onCreated(await administer<ProjectDetail>("project.create", { name, ...changesOf(newOptions, options) }));
  });
  const { error } = form;
  const failed = failedField(error);
  return (
    <FormDialog
      title="New project"
      form={form}
      action="Create the project"
      hidesError={failed !== null}
      onClose={onClose}
    >
      <Field
        label="Name"
        help="Unique in this installation."
        fault={failed === "name" ? readFailure(error).text : null}
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
    </FormDialog>
  );
}
