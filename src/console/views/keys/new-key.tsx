// The form of a new key, and then its secret, which is shown once.

import { useState } from "preact/hooks";
import { administer } from "../../api/calls.ts";
import { now } from "../../clock.ts";
import { Dialog, FormDialog } from "../../parts/dialog.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { useForm } from "../../parts/use-form.ts";
import { Connections } from "./connections.tsx";
import { type NewKeyDetail, type Permission, permissions } from "./key-detail.ts";

const lives = {
  never: "Never",
  "30": "In 30 days",
  "90": "In 90 days",
  "365": "In one year",
  date: "On a date",
};
const dayMs = 86_400_000;
const isPermission = (name: string): name is Permission => Object.hasOwn(permissions, name);
const allPermissions = Object.keys(permissions).filter(isPermission);

interface NewKeyProps {
  readonly project: string;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

export function NewKey({ project, onClose, onCreated }: NewKeyProps) {
  const [name, setName] = useState("");
  const [granted, setGranted] = useState<readonly Permission[]>(["memory.read", "memory.write"]);
  const [subject, setSubject] = useState("");
  const [life, setLife] = useState<keyof typeof lives>("never");
  const [date, setDate] = useState("");
  const [created, setCreated] = useState<NewKeyDetail | null>(null);
  const form = useForm(async () => {
    const input = { project, name, permissions: granted, expires_at: expiryOf(life, date) };
    const bound = subject.trim() === "" ? {} : { subject };
    setCreated(await administer<NewKeyDetail>("key.create", { ...input, ...bound }));
    onCreated();
  });
  if (created !== null) return <Secret created={created} onClose={onClose} />;
  return (
    <FormDialog
      title="New key"
      form={form}
      action="Create the key"
      isOff={granted.length === 0}
      onClose={onClose}
    >
      <Field label="Name" help="What the key is for, such as the assistant or program that uses it.">
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
      <fieldset>
        <legend>Permissions</legend>
        {allPermissions.map((each) => (
          <label key={each} class="permission">
            <input
              type="checkbox"
              checked={granted.includes(each)}
              onChange={({ currentTarget }) =>
                setGranted(
                  allPermissions.filter((other) =>
                    other === each ? currentTarget.checked : granted.includes(other),
                  ),
                )
              }
            />
            <span>
              {permissions[each]} <code class="quiet">{each}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <Field
        label="Only for the subject"
        help="Such as user:42, or user:* for all whose names begin so. Empty: for the project and all subjects."
      >
        {(control) => (
          <input
            {...control}
            dir="auto"
            value={subject}
            autocomplete="off"
            onInput={({ currentTarget }) => setSubject(currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Expires">
        {(control) => (
          <Select control={control} value={life} options={lives} onChange={(life) => setLife(life)} />
        )}
      </Field>
      {life === "date" && (
        <Field label="Last day">
          {(control) => (
            <input
              {...control}
              type="date"
              required
              value={date}
              onInput={({ currentTarget }) => setDate(currentTarget.value)}
            />
          )}
        </Field>
      )}
    </FormDialog>
  );
}

/** RFC 3339; null: never. A date means until its end, in the zone of the person. */
function expiryOf(life: keyof typeof lives, date: string): string | null {
  if (life === "never") return null;
  if (life === "date") return new Date(`${date}T23:59:59`).toISOString();
  return new Date(now() + Number(life) * dayMs).toISOString();
}

function Secret({ created, onClose }: { readonly created: NewKeyDetail; readonly onClose: () => void }) {
  const [isLeaving, setLeaving] = useState(false);
  return (
    <Dialog title="The key is created" onClose={() => setLeaving(true)} wide>
      <div class="form">
        <p>
          Copy the key <bdi>{created.name}</bdi> now. It is shown once, and cannot be read again.
        </p>
        <CopyText text={created.key} what="the key" form="block" />
        <h3>Connect an assistant with this key</h3>
        <Connections created={created} />
        {isLeaving && (
          <p class="failure" role="alert">
            The key is shown only here, and this was not closed. Copy the key, then confirm that you have it.
          </p>
        )}
        <footer>
          <button type="button" class="primary" onClick={onClose}>
            I have copied the key
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
