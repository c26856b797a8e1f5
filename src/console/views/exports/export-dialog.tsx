// Asks for the span and the format of an export, and begins it.

import { useState } from "preact/hooks";
import type { ExportFormat } from "../../../../clients/typescript/src/index.ts";
import { now } from "../../clock.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { type Span, SpanFields } from "../../parts/text/time-span.tsx";
import { useForm } from "../../parts/use-form.ts";
import { useProject } from "../../project.ts";
import { type RecordFilter, toSelection } from "../ledger/filter.ts";
import { beginExport } from "./begin-export.ts";

const formats: Readonly<Record<ExportFormat, string>> = {
  csv: "CSV, for spreadsheets",
  json: "JSON, for programs",
};
interface ExportDialogProps {
  /** Of the plan of the project; null: unlimited, or unknown. */
  readonly retentionDays: number | null;
  /** Of the address. */
  readonly filter: RecordFilter;
  readonly onBegun: () => void;
  readonly onClose: () => void;
}

export function ExportDialog({ retentionDays, filter, onBegun, onClose }: ExportDialogProps) {
  const { client } = useProject();
  const [span, setSpan] = useState<Span>(filter.span);
  const selection = toSelection(filter);
  const names = Object.entries(selection).map(([name, value]) => `${name} ${[value].flat().join(", ")}`);
  const [format, setFormat] = useState<ExportFormat>("csv");
  const form = useForm(async () => {
    const end_time = span.end ?? new Date(now()).toISOString();
    await beginExport(client, {
      ...selection,
      ...{ start: span.start, end_time, format, retention: retentionDays },
    });
    onBegun();
    onClose();
  });
  return (
    <FormDialog title="New export" form={form} action="Export" onClose={onClose}>
      <p class="quiet">Leave a time empty to export from the first record, or until now.</p>
      {names.length > 0 && (
        <p>
          Only records with <bdi>{names.join("; ")}</bdi>. Each one can be verified, but not that none was
          left out.
        </p>
      )}
      <SpanFields span={span} onChange={setSpan} />
      <Field label="Format" help="Both have the same records.">
        {(control) => <Select control={control} value={format} options={formats} onChange={setFormat} />}
      </Field>
    </FormDialog>
  );
}
