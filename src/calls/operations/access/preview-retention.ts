// Owns the preview of a change of plan or retention: which records it would delete. Must never change anything.

import { type Static, Type } from "@sinclair/typebox";
import { planOf } from "../../../access/project.ts";
import { projectChanges, reference } from "../../../access/project-view.ts";
import { Count, Fields, Nullable } from "../../../platform/schema/schema.ts";
import { dayMs } from "../../../platform/time/clock.ts";
import { installationOperation } from "../../contract/operation.ts";
import { applyChanges } from "./project-operations.ts";
import { requireProject } from "./require-project.ts";

const days = (description: string) => Nullable(Count(description));

const output = Fields({
  project: Type.String({ description: "Name of the project." }),
  days_before: days("Days that audit records are kept now; null: unlimited."),
  days_after: days("Days that they would be kept; null: unlimited."),
  is_shorter: Type.Boolean({ description: "Whether the change shortens the retention." }),
  records: Count("Records that would be deleted now."),
});

export const previewRetention = installationOperation({
  name: "project.preview_retention",
  summary: "Preview a change of the retention",
  description: "Counts the audit records that a change of plan or retention would delete. Changes nothing.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  input: Fields({ project: reference, ...projectChanges }),
  output,

  async apply(transaction, input, { now, plans }) {
    const before = await requireProject(transaction, input.project);
    const { retentionDays: daysBefore } = planOf(before, plans);
    const { retentionDays: daysAfter } = planOf(applyChanges(before, input), plans);
    const isShorter = daysAfter !== null && (daysBefore === null || daysAfter < daysBefore);
    const data: Static<typeof output> = {
      project: before.name,
      days_before: daysBefore,
      days_after: daysAfter,
      is_shorter: isShorter,
      records: isShorter ? await transaction.audit.countOlder(before, now - daysAfter * dayMs) : 0,
    };
    return { data };
  },
});
