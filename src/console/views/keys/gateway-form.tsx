// The settings of a key for requests to the gateway, as a form: its memory, and whether conversations are remembered. An empty field is no setting.

import { useState } from "preact/hooks";
import { administer } from "../../api/calls.ts";
import { Failure, failedField, readFailure } from "../../parts/failure.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { TagInput } from "../../parts/text/tag-input.tsx";
import { useForm } from "../../parts/use-form.ts";
import type { KeyDetail } from "./key-detail.ts";

const none = { "": "As configured" };
const switched = { ...none, true: "On", false: "Off" };
const choices: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  ["memory", "Memory in requests", switched],
  ["memory_failure", "Without memory in time", { ...none, open: "Send the request", closed: "Refuse it" }],
  ["remember", "Remember conversations", switched],
];
const numbers = [
  ["memory_budget", "Maximum characters of facts and contexts"],
  ["memory_floor", "Minimum similarity of facts and contexts"],
] as const;

interface GatewayFormProps {
  readonly detail: KeyDetail;
  readonly onChanged: () => void;
}

export function GatewayForm({ detail: { id, name, gateway }, onChanged }: GatewayFormProps) {
  const [said, setSaid] = useState<Readonly<Record<string, unknown>>>({ ...gateway });
  const put = (member: string, value: unknown) => setSaid({ ...said, [member]: value });
  const textOf = (member: string) => String(said[member] ?? "");
  const { error, submit } = useForm(async () => {
    await administer("key.update", { key: id, gateway: said }, true);
    showMessage({ text: `The key ${name} is changed.` });
    onChanged();
  });
  const failed = failedField(error)?.split("/")[1];
  const faultOf = (member: string) => (failed === member ? readFailure(error).text : null);
  const tags = Array.isArray(said.memory_tags) ? said.memory_tags : [];
  return (
    <form onSubmit={submit}>
      <h3>Gateway</h3>
      {choices.map(([member, label, options]) => (
        <Field key={member} label={label}>
          {(control) => (
            <Select
              control={control}
              value={textOf(member)}
              options={options}
              onChange={(text) => put(member, /^(true|false)$/.test(text) ? text === "true" : text || null)}
            />
          )}
        </Field>
      ))}
      {numbers.map(([member, label]) => (
        <Field key={member} label={label} fault={faultOf(member)}>
          {(control) => (
            <input
              {...control}
              type="number"
              min={0}
              step="any"
              value={textOf(member)}
              onInput={({ currentTarget: { value } }) => put(member, value === "" ? null : Number(value))}
            />
          )}
        </Field>
      ))}
      <Field label="Tags of facts and contexts" fault={faultOf("memory_tags")}>
        {(control) => (
          <TagInput
            control={control}
            tags={tags}
            onChange={(tags) => put("memory_tags", tags.length === 0 ? null : tags)}
          />
        )}
      </Field>
      {error !== null && failed === undefined && <Failure error={error} />}
      <p>
        <button type="submit" class="primary">
          Save
        </button>
      </p>
    </form>
  );
}
