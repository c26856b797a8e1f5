// Owns listing audit records, newest first. Never shows what the plan's retention has passed, even when pruning is late.

import { Type } from "@sinclair/typebox";
import type { Plan } from "../access/plan.ts";
import { Refusal } from "../errors.ts";
import { fromMoment } from "../iso8601.ts";
import { auditPageSizeDefault, pageSizeMax } from "../limits.ts";
import { projectOperation } from "../operation.ts";
import { Action, Choice, Fields, Id, Moment, Nullable } from "../schema.ts";
import type { RecordQuery } from "./store.ts";
import { auditRecord, exampleRecord, toAuditRecord } from "./view.ts";

const dayMs = 86_400_000;
const pageMax = 2 ** 31;
const statusClasses = { "2xx": 2, "4xx": 4, "5xx": 5 } as const;

export const listRecords = projectOperation({
  name: "audit.list",
  summary: "List audit records",
  description:
    "Returns the project's audit records, newest first. A start_time older than the plan's retention is moved to its edge. Deep pages are quickest with cursor, which also stays in place while new records arrive.",
  permission: "audit.read",
  feature: "audit",
  answersWithRecords: true,
  success: 200,
  input: Fields({
    start_time: Type.Optional(
      Moment({ description: "Records from this time on; ISO 8601, UTC without a zone." }),
    ),
    end_time: Type.Optional(
      Moment({ description: "Records up to this time, included; a date includes its whole day." }),
    ),
    action: Type.Optional(Action({ description: "Only this action, such as memory.search." })),
    memory_id: Type.Optional(Id({ description: "Only operations that named this memory." })),
    key_id: Type.Optional(Id({ description: "Only calls with this API key." })),
    status_class: Type.Optional(
      Choice(["2xx", "4xx", "5xx"], { description: "Only this class of HTTP status." }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 100, description: "next_cursor of the page before; not with page." }),
    ),
    page: Type.Optional(
      Type.Integer({ minimum: 1, maximum: pageMax, default: 1, description: "Page, from 1." }),
    ),
    page_size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: pageSizeMax,
        default: auditPageSizeDefault,
        description: "Records per page.",
      }),
    ),
  }),
  output: Fields({
    logs: Type.Array(auditRecord),
    total: Type.Integer({ minimum: 0, description: "Records that match, on all pages." }),
    page: Type.Integer(),
    page_size: Type.Integer(),
    next_cursor: Nullable(Type.String({ description: "Send it as cursor to go on; null on the last page." })),
  }),
  refusals: [],
  example: {
    input: { action: "memory.create", page_size: 50 },
    data: { logs: [exampleRecord], total: 1, page: 1, page_size: 50, next_cursor: null },
  },

  async prepare(input, { store, caller, plan, now }) {
    const { page_size = auditPageSizeDefault, page = 1 } = input;
    if (input.cursor !== undefined && input.page !== undefined) {
      throw new Refusal(1400, 'Send either "cursor" or "page", not both.', {
        field: "cursor",
        reason: "excludes page",
      });
    }
    const { from, to } = readSpan(input);
    const floor = retentionFloor(plan, now);
    const query: RecordQuery = {
      from: floor === null ? from : Math.max(floor, from ?? floor),
      to,
      action: input.action ?? null,
      keyId: input.key_id ?? null,
      memoryId: input.memory_id ?? null,
      statusClass: input.status_class === undefined ? null : statusClasses[input.status_class],
      limit: page_size,
      after:
        input.cursor === undefined ? { skip: (page - 1) * page_size } : { below: fromCursor(input.cursor) },
    };
    const { records, total, hasMore } = await store.audit.list(caller.project, query);
    return {
      logs: records.map((record) => toAuditRecord(record, plan.hash)),
      ...{ total, page, page_size },
      next_cursor: hasMore ? toCursor(records.at(-1)?.seq ?? 0) : null,
    };
  },

  async apply(_transaction, _input, data) {
    return { data };
  },
});

/** The oldest time that the plan still shows; null: all. */
export function retentionFloor({ retentionDays }: Plan, now: number): number | null {
  return retentionDays === null ? null : now - retentionDays * dayMs;
}

/** @throws Refusal 1400 */
function readSpan({ start_time, end_time }: { readonly start_time?: string; readonly end_time?: string }): {
  readonly from: number | null;
  readonly to: number | null;
} {
  const from = start_time === undefined ? null : (fromMoment(start_time)?.firstMs ?? null);
  const to = end_time === undefined ? null : (fromMoment(end_time)?.lastMs ?? null);
  if (from === null || to === null || from <= to) return { from, to };
  throw endBeforeStart();
}

export function endBeforeStart(): Refusal {
  return new Refusal(1400, 'Field "end_time" is before start_time. Swap the two.', {
    field: "end_time",
    reason: "is before start_time",
  });
}

function toCursor(seq: number): string {
  return Buffer.from(`seq ${seq}`).toString("base64url");
}

function fromCursor(cursor: string): number {
  const [, seq] = /^seq ([1-9]\d{0,14})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (seq !== undefined) return Number(seq);
  throw new Refusal(1400, 'Field "cursor" is no cursor of this list. Send next_cursor as it was answered.', {
    field: "cursor",
    reason: "is not a cursor",
  });
}
