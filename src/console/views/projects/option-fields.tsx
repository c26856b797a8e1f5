// The fields of the options of a project: plan, subscription, credits and limits.

import { failedField, readFailure } from "../../parts/failure.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { PlanContents } from "./plan-contents.tsx";
import { numberFields, type Options, plans, subscriptions } from "./project-detail.ts";

const titles = {
  credits: "Credits",
  memory_limit: "Maximum number of memories",
  passage_limit: "Maximum number of passages of conversations",
  retention_days: "Days that records are kept",
};
const empty = {
  credits: "Empty: unlimited.",
  memory_limit: "Empty: as in the plan.",
  passage_limit: "Empty: as in the plan. Above the maximum, the oldest are deleted.",
  retention_days: "Empty: as in the plan.",
};

interface OptionFieldsProps {
  readonly options: Options;
  /** The plan now. Default: the chosen one */
  readonly previous?: Options["plan"];
  readonly onChange: (options: Options) => void;
  /** Why the server refused them; null: it did not. */
  readonly error: unknown;
}

export function OptionFields({ options, previous = options.plan, onChange, error }: OptionFieldsProps) {
  const failed = failedField(error);
  return (
    <>
      <div class="field-pair">
        <Field label="Plan" help="It sets features, limits and rates.">
          {(control) => (
            <Select
              control={control}
              value={options.plan}
              options={plans}
              onChange={(plan) => onChange({ ...options, plan })}
            />
          )}
        </Field>
        <Field label="Subscription" help="Expired: the audit records cannot be read. Memories still work.">
          {(control) => (
            <Select
              control={control}
              value={options.subscription}
              options={subscriptions}
              onChange={(subscription) => onChange({ ...options, subscription })}
            />
          )}
        </Field>
      </div>
      <PlanContents plan={options.plan} previous={previous} />
      {numberFields.map((name) => (
        <Field
          key={name}
          label={titles[name]}
          help={empty[name]}
          fault={failed === name ? readFailure(error).text : null}
        >
          {(control) => (
            <input
              {...control}
              type="number"
              min={name === "retention_days" ? 1 : 0}
              step={1}
              value={options[name]}
              onInput={({ currentTarget }) => onChange({ ...options, [name]: currentTarget.value })}
            />
          )}
        </Field>
      ))}
    </>
  );
}
