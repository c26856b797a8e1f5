// Owns beginning an export: which span a project may export, and that one runs at a time. The work itself is the runner's.

import { Type } from "@sinclair/typebox";
import type { Plan } from "../access/plan.ts";
import { endBeforeStart, retentionFloor } from "../audit/list.ts";
import { projectOperation } from "../calls/operation.ts";
import { startOfDay, toTimestamp } from "../clock.ts";
import { Refusal } from "../errors.ts";
import { fromMoment } from "../iso8601.ts";
import { Choice, Fields, Moment } from "../schema/schema.ts";
import { counted } from "../text/plural.ts";
import { exampleId, exportFormats, exportTask, toExportTask } from "./export.ts";
import type { ExportDraft } from "./store.ts";

export const exportSpan = {
  start_time: Moment({
    description:
      "Records from this time on; not before the UTC day on which the plan's retention begins. ISO 8601, UTC without a zone.",
  }),
  end_time: Moment({
    description: "Records up to this time, included; a date includes its whole day. May be in the future.",
  }),
  format: Type.Optional(
    Choice(exportFormats, { title: "ExportFormat", description: "Format of the file.", default: "csv" }),
  ),
};

interface Span {
  readonly start_time: string;
  readonly end_time: string;
  readonly format?: ExportDraft["format"];
}

export const createExport = projectOperation({
  name: "audit.export",
  summary: "Begin an export of audit records",
  description:
    "Begins to write the records of a span of time to a file, up to the newest record before this call, and answers at once. Ask for the export until its status is completed, then download it. Records that the plan's retention no longer shows are left out, and start_time of the export then is the time of its edge. One at a time per project. Pro, business and custom plans only.",
  permission: "audit.export",
  feature: "export",
  success: 200,
  input: Fields(exportSpan),
  output: exportTask,
  refusals: [2201, 2203],
  example: {
    input: { start_time: "2026-11-01T00:00:00Z", end_time: "2026-11-21T00:00:00Z", format: "csv" },
    data: { export_id: exampleId, status: "processing", estimated_records: 1284, download_url: null },
  },

  async prepare(input) {
    readSpan(input);
  },

  async apply(transaction, input, _prepared, { caller, plan, now }) {
    const draft = draftOf(input, plan, now);
    const made = await transaction.exports.begin(caller.project, draft, now);
    return { data: toExportTask(made), after: [{ effect: "start_export" }] };
  },
});

/**
 * A span may begin with the day on which the retention begins: a bound that moves with the clock could not be sent back. The export
 * itself holds only what the retention still shows, and says so with its start_time.
 * @throws Refusal 1400 or 2201
 */
export function draftOf(input: Span, plan: Plan, now: number): ExportDraft {
  const { startAt, endAt } = readSpan(input);
  const shownFrom = retentionFloor(plan, now) ?? startAt;
  const earliestAt = startOfDay(shownFrom);
  if (plan.retentionDays !== null && startAt < earliestAt) {
    const earliest = toTimestamp(earliestAt);
    throw new Refusal(
      2201,
      `The plan keeps records for ${counted(plan.retentionDays, "day")}. Choose a start_time of ${earliest} or later.`,
      { field: "start_time", earliest },
    );
  }
  return {
    format: input.format ?? "csv",
    verifiable: plan.hash,
    startAt: Math.min(Math.max(startAt, shownFrom), endAt),
    endAt,
    shownFrom,
  };
}

function readSpan({ start_time, end_time }: Span): { startAt: number; endAt: number } {
  const [startAt, endAt] = [fromMoment(start_time)?.firstMs, fromMoment(end_time)?.lastMs];
  if (startAt === undefined || endAt === undefined)
    throw new Error("the span of an export was not validated");
  if (endAt < startAt) throw endBeforeStart();
  return { startAt, endAt };
}
