// Owns the export: its range of records, its progress, and its form in the API. Must never open a file.

import { type Static, Type } from "@sinclair/typebox";
import { Refusal } from "../../platform/errors.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import { Choice, Count, Fields, Nullable, Timestamp } from "../../platform/schema/schema.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";

export const exportFormats = ["csv", "json"] as const;
export type ExportFormat = (typeof exportFormats)[number];

const exportStatuses = ["processing", "completed", "failed"] as const;
export type ExportStatus = (typeof exportStatuses)[number];

/** A task that writes a range of a project's chain to a file. */
export interface Export {
  /** UUIDv7 with hyphens. */
  readonly id: string;
  readonly format: ExportFormat;
  readonly startAt: number;
  readonly endAt: number;
  /** Fixed when the export is created: those of the first and the last record. lastSeq is less than firstSeq if there are no records. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** What is known of the filter that has selected the records (describeFilter); null: it has all records of the range. */
  readonly filter: JsonObject | null;
  /** How many the filter has selected; null without one. */
  readonly selected: number | null;
  /** Whether rows contain entry, hash, salt and payload, so that they verify offline. */
  readonly verifiable: boolean;
  readonly status: ExportStatus;
  /** Number of records written so far. */
  readonly records: number;
  readonly bytes: number | null;
  /** SHA-256 of the file, 64 lower-case hexadecimal characters. */
  readonly sha256: string | null;
  /** The reason of a failure. */
  readonly error: string | null;
  readonly createdAt: number;
  readonly completedAt: number | null;
  readonly expiresAt: number | null;
  /** Path of the file; its manifest is next to it. */
  readonly path: string;
}

export function recordsOf({
  firstSeq,
  lastSeq,
  selected,
}: Pick<Export, "firstSeq" | "lastSeq" | "selected">): number {
  return selected ?? Math.max(0, lastSeq - firstSeq + 1);
}

/** `019a2b3c5f1e7a608192a3b4c5d6e7f8` as RFC 9562 writes it. */
export function toExportId(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Refusal 2203; `id` is the running export. */
export function exportInProgress(id: string): Refusal {
  return new Refusal(
    2203,
    `The export ${id} of this project is in progress. Wait until it is completed, then create another.`,
    { export_id: id },
  );
}

export function manifestPath(path: string): string {
  return `${path}.manifest`;
}

export const exportId = Type.String({ maxLength: 100, description: "Identifier of the export." });

const task = {
  export_id: exportId,
  status: Choice(exportStatuses, { title: "ExportStatus", description: "Progress of the export." }),
  estimated_records: Count("Number of records of the export."),
  download_url: Nullable(
    Type.String({ description: "Path of the file; null until the export is completed." }),
  ),
};

export const exportTask = Fields(task, { title: "ExportTask" });
export const exportDetail = Fields(
  {
    ...task,
    manifest_url: Nullable(
      Type.String({ description: "Path of the signed manifest; null until the export is completed." }),
    ),
    format: Choice(exportFormats, { title: "ExportFormat", description: "Format of the file." }),
    start_time: Timestamp({ description: "Beginning of the time range." }),
    end_time: Timestamp({ description: "End of the time range, included." }),
    filter: Nullable(
      Type.Object(
        {},
        {
          title: "ExportFilter",
          description:
            "What selected the records: the filters of the call, with the pseudonym of the subject, and true in place of tags and metadata. null: all records of the time range.",
        },
      ),
    ),
    records: Count("Number of records written so far."),
    bytes: Nullable(Count("Size of the file in bytes.")),
    sha256: Nullable(Type.String({ description: "SHA-256 of the file." })),
    error: Nullable(Type.String({ description: "The reason of a failure; null otherwise." })),
    created_at: Timestamp({ description: "When the export was created." }),
    completed_at: Nullable(Timestamp({ description: "When the export was completed or failed." })),
    expires_at: Nullable(Timestamp({ description: "When the file is removed." })),
  },
  { title: "ExportDetail" },
);

export function toExportTask(made: Export): Static<typeof exportTask> {
  return {
    export_id: made.id,
    status: made.status,
    estimated_records: recordsOf(made),
    download_url: made.status === "completed" ? `/v1/audit/logs/export/${made.id}/download` : null,
  };
}

export function toExportDetail(made: Export): Static<typeof exportDetail> {
  const { format, records, bytes, sha256, error } = made;
  return {
    ...toExportTask(made),
    manifest_url: made.status === "completed" ? `/v1/audit/logs/export/${made.id}/manifest` : null,
    format,
    start_time: toTimestamp(made.startAt),
    end_time: toTimestamp(made.endAt),
    filter: made.filter,
    records,
    bytes,
    sha256,
    error,
    created_at: toTimestamp(made.createdAt),
    completed_at: orNull(made.completedAt),
    expires_at: orNull(made.expiresAt),
  };
}

function orNull(ms: number | null): string | null {
  return ms === null ? null : toTimestamp(ms);
}

export const exampleId = "019a2b3c-5f1e-7a60-8192-a3b4c5d6e7f8";

export const exampleDetail = {
  export_id: exampleId,
  status: "completed",
  estimated_records: 1284,
  download_url: `/v1/audit/logs/export/${exampleId}/download`,
  manifest_url: `/v1/audit/logs/export/${exampleId}/manifest`,
  format: "csv",
  start_time: "2026-11-01T00:00:00.000Z",
  end_time: "2026-11-21T00:00:00.000Z",
  filter: null,
  records: 1284,
  bytes: 1_912_480,
  error: null,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  created_at: "2026-11-21T09:30:00.000Z",
  completed_at: "2026-11-21T09:30:01.000Z",
  expires_at: "2026-11-28T09:30:01.000Z",
} as const satisfies Static<typeof exportDetail>;
