// Owns creating an export: which range of time a project may export, and that a project has one running export. The runner writes the file.

import { Type } from "@sinclair/typebox";
import type { Plan } from "../../../access/plan.ts";
import { exampleId, exportFormats, exportTask, toExportTask } from "../../../audit/export/export.ts";
import {
  isOfAll,
  type NamedFilter,
  type RecordFilters,
  recordFilters,
  toRecordFilter,
} from "../../../audit/record-filter.ts";
import { Refusal } from "../../../platform/errors.ts";
import { conversationName } from "../../../platform/schema/conversation-name.ts";
import { Choice, Fields, Moment } from "../../../platform/schema/schema.ts";
import { subjectName } from "../../../platform/schema/subject-name.ts";
import { counted } from "../../../platform/text/plural.ts";
import { startOfDay } from "../../../platform/time/clock.ts";
import { fromMoment } from "../../../platform/time/iso8601.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { ExportDraft } from "../../storage/export-store.ts";
import { endBeforeStart, retentionFloor } from "../ledger/list.ts";
import { findPseudonyms } from "../ledger/named-subject.ts";

export const exportFields = {
  start_time: Moment({
    description:
      "Only records from this time on; not before the UTC day on which the plan's retention begins. ISO 8601; UTC if it has no time zone.",
  }),
  end_time: Moment({
    description:
      "Only records up to and including this time, which is not before start_time; a date includes the whole day. May be in the future.",
  }),
  format: Type.Optional(
    Choice(exportFormats, { title: "ExportFormat", description: "Format of the file.", default: "csv" }),
  ),
  ...recordFilters,
  subject: Type.Optional(subjectName),
  conversation: Type.Optional(conversationName),
};

interface Span {
  readonly start_time: string;
  readonly end_time: string;
}

interface Wanted extends Span, RecordFilters {
  readonly format?: ExportDraft["format"];
}

export const createExport = projectOperation({
  name: "audit.export",
  summary: "Create an export of audit records",
  description:
    "Starts an export of the records of a time range, up to the newest record before this call; with subject, those of calls for it, with conversation, those of calls that named it, and with other filters those that the list of records has. The file is written in the background: read the export until its status is completed, then download the file. Records older than the plan's retention are not exported; start_time of the export is then the time at which the retention begins. A project can have one running export. Pro, business and custom plans only.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  permission: "audit.export",
  feature: "export",
  // Not forSubjects: a key for one subject would learn of exports of others, because a project has one at a time.
  unrecorded: ["subject", "conversation", "on_behalf_of"],
  input: Fields(exportFields),
  output: exportTask,
  refusals: [2201, 2203],
  example: {
    input: { start_time: "2026-11-01T00:00:00Z", end_time: "2026-11-21T00:00:00Z", format: "csv" },
    data: { export_id: exampleId, status: "processing", estimated_records: 1284, download_url: null },
  },

  async prepare(input, { store, caller }) {
    readSpan(input);
    return findPseudonyms(store, caller.project, input);
  },

  async apply(transaction, input, named, { caller, plan, now }) {
    const draft = draftOf(input, named, plan, now);
    const made = await transaction.exports.begin(caller.project, draft, now);
    return { data: toExportTask(made), after: [{ effect: "start_export" }] };
  },
});

/**
 * start_time may be any time of the day on which the retention begins, so that clients can send `earliest` back. The export itself begins
 * at the exact time at which the retention begins, and shows this time as its start_time.
 * @param named whose records are wanted
 * @throws Refusal 1400 or 2201
 */
export function draftOf(input: Wanted, named: NamedFilter, plan: Plan, now: number): ExportDraft {
  const filter = toRecordFilter(input, named);
  const { startAt, endAt } = readSpan(input);
  const shownFrom = retentionFloor(plan, now) ?? startAt;
  const earliestAt = startOfDay(shownFrom);
  if (plan.retentionDays !== null && startAt < earliestAt) {
    const earliest = toTimestamp(earliestAt);
    throw new Refusal(
      2201,
      `The retention of the plan is ${counted(plan.retentionDays, "day")}. Send a start_time of ${earliest} or later.`,
      { field: "start_time", earliest },
    );
  }
  return {
    format: input.format ?? "csv",
    verifiable: plan.hash,
    filter: isOfAll(filter) ? null : filter,
    startAt: Math.min(Math.max(startAt, shownFrom), endAt),
    endAt,
    shownFrom,
  };
}

function readSpan({ start_time, end_time }: Span): { startAt: number; endAt: number } {
  const [startAt, endAt] = [fromMoment(start_time)?.firstMs, fromMoment(end_time)?.lastMs];
  if (startAt === undefined || endAt === undefined)
    throw new Error("the time range of an export was not validated");
  if (endAt < startAt) throw endBeforeStart();
  return { startAt, endAt };
}
