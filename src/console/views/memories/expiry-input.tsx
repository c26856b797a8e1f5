// A field for the time when a memory expires. Browsers ask for it in the zone of the machine.

import type { ControlAttributes } from "../../parts/field.tsx";

interface ExpiryInputProps {
  readonly control?: ControlAttributes;
  /** ISO 8601; null: never. */
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

export function ExpiryInput({ control, value, onChange }: ExpiryInputProps) {
  return (
    <input
      {...control}
      type="datetime-local"
      step="any"
      value={value === null ? "" : localText(value)}
      onChange={({ currentTarget }) => {
        const time = new Date(currentTarget.value);
        onChange(Number.isNaN(time.getTime()) ? null : time.toISOString());
      }}
    />
  );
}

/** As the browser's field has it: the local time, without a zone. */
function localText(at: string): string {
  const time = new Date(at);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}
