// Asks for the span and the format of an export, and begins it.

import { useState } from "preact/hooks";
import type { ExportFormat } from "../../../../clients/typescript/src/index.ts";
import { now } from "../../clock.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { type Span, SpanFields } from "../../parts/time-span.tsx";
import { useProject } from "../../project.ts";
import { beginExport } from "./begin-export.ts";

const formats: Readonly<Record<ExportFormat, string>> = {
  csv: "CSV, for spreadsheets",
  json: "JSON, for programs",
};
interface ExportDialogProps {
  /** Of the plan of the project; null: unlimited, or unknown. */
  readonly retentionDays: number | null;
  /** Of the address. */
  readonly begin: Span;
  readonly onBegun: () => void;
  readonly onClose: () => void;
}

export function ExportDialog({ retentionDays, begin: named, onBegun, onClose }: ExportDialogProps) {
  const { client } = useProject();
  const [span, setSpan] = useState<Span>(named);
  const [format, setFormat] = useState<ExportFormat>("csv");
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    setRunning(true);
    try {
      const end_time = span.end ?? new Date(now()).toISOString();
      await beginExport(client, { start: span.start, end_time, format, retention: retentionDays });
      onBegun();
      onClose();
    } catch (failure) {
      setError(failure);
      setRunning(false);
    }
  };
  return (
    <Dialog title="New export" onClose={onClose}>
      <form onSubmit={submit}>
        <p class="quiet">
          Leave a time empty to export from the first record, or until now. An export has all records of its
          span: a chain with gaps could not be verified.
        </p>
        <SpanFields span={span} onChange={setSpan} />
        <Field label="Format" help="Both have the same records.">
          {(control) => <Select control={control} value={format} options={formats} onChange={setFormat} />}
        </Field>
        {error !== null && <Failure error={error} />}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Button type="submit" class="primary" isOff={isRunning}>
            Export
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
