// Fields of forms: a label, a control, what it means, and what is wrong with it.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  /** What to enter. */
  readonly help?: ComponentChildren;
  /** What is wrong and what to do; null: nothing. */
  readonly fault?: string | null;
  /** Draws the control with these attributes. */
  readonly children: (control: ControlAttributes) => ComponentChildren;
}

export interface ControlAttributes {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

/** `<Field label="Name">{(control) => <input {...control} value={name} onInput={...} />}</Field>` */
export function Field({ label, help, fault = null, children }: FieldProps) {
  const id = useId();
  const [helpId, faultId] = [`${id}-help`, `${id}-fault`];
  const described = [help === undefined ? "" : helpId, fault === null ? "" : faultId].filter(
    (each) => each !== "",
  );
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
        "aria-invalid": fault !== null,
      })}
      {help !== undefined && (
        <p class="help" id={helpId}>
          {help}
        </p>
      )}
      {fault !== null && (
        <p class="fault" id={faultId} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

interface SelectProps<Value extends string> {
  readonly value: NoInfer<Value>;
  /** Values with their labels, in the order in which they are shown. */
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
  /** Instead of a Field around it. */
  readonly label?: string;
  readonly control?: ControlAttributes;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, options, onChange, label, control } = props;
  const isValue = (text: string): text is Value => Object.hasOwn(options, text);
  return (
    <select
      {...control}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => isValue(currentTarget.value) && onChange(currentTarget.value)}
    >
      {Object.entries<string>(options).map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Switch({ label, isOn, onChange }: SwitchProps) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}
