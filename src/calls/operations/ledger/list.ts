// Owns the list of audit records, newest first. Must never show records older than the plan's retention, even if they are not pruned yet.

import { type Static, Type } from "@sinclair/typebox";
import type { Plan } from "../../../access/plan.ts";
import { fromCursor, nameList, toCursor } from "../../../audit/list-cursor.ts";
import {
  allNamed,
  type NamedFilter,
  type RecordFilters,
  recordFilters,
  toRecordFilter,
} from "../../../audit/record-filter.ts";
import { auditRecord, exampleRecord } from "../../../audit/record-schema.ts";
import { toAuditRecord } from "../../../audit/record-view.ts";
import { fieldRefusal, type Refusal } from "../../../platform/errors.ts";
import { auditPageSizeDefault } from "../../../platform/limits.ts";
import { cursorField, nextCursor, pageFields, requireOnePlace } from "../../../platform/schema/page.ts";
import { Count, Fields, Flag, Moment, notTogether } from "../../../platform/schema/schema.ts";
import { fromMoment } from "../../../platform/time/iso8601.ts";
import { type Preparation, projectOperation } from "../../contract/operation.ts";
import type { HiddenReads, RecordPage, RecordQuery } from "../../storage/ledger-store.ts";
import { consoleReads } from "./console-reads.ts";
import { findPersonFilter } from "./named-subject.ts";

const dayMs = 86_400_000;

/** Of lists. */
export const recordSpan = {
  start_time: Type.Optional(
    Moment({ description: "Only records from this time on. ISO 8601; UTC if it has no time zone." }),
  ),
  end_time: Type.Optional(
    Moment({
      description:
        "Only records up to and including this time, which is not before start_time; a date includes the whole day.",
    }),
  ),
};

/** For lists and histories that people read in the console. */
export const withoutConsoleReads = {
  without_console_reads: Flag(
    "true: leave out successful reads that administrators have made in the console, such as those of this list. They are recorded all the same.",
    false,
  ),
};

const listInput = Fields(
  {
    ...recordSpan,
    ...recordFilters,
    ...withoutConsoleReads,
    cursor: cursorField("filters"),
    ...pageFields({ items: "Records", defaultSize: auditPageSizeDefault }),
  },
  notTogether("cursor", "page"),
);
type ListInput = Static<typeof listInput>;

export const listRecords = projectOperation({
  name: "audit.list",
  summary: "List audit records",
  description:
    "Returns the project's audit records, newest first; with subject, those of calls for it; with conversation, those of calls that named it; with tag or metadata, those of calls that named a memory which has them now, and those from whose conversation such a memory was extracted. If start_time is older than the plan's retention, the list begins where the retention begins. Every call adds a record, so the list grows while it is read. With cursor, each record is returned once, and total stays that of the first page. With page, the same holds for one hour, for the same key, filters and page_size; page 1 starts a new list, and after a restart of the server pages show the current list. For pages far from the first, cursor is faster.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.read",
  forSubjects: "known",
  forConversations: "known",
  feature: "audit",
  unrecorded: ["on_behalf_of"],
  answersWithRecords: true,
  input: listInput,
  output: Fields(
    {
      logs: Type.Array(auditRecord),
      total: Count("Number of matching records on all pages, when the first page was read."),
      page: Type.Integer(),
      page_size: Type.Integer(),
      next_cursor: nextCursor,
      newest_seq: Count(
        "Position of the newest record up to end_time, whether it matches the other filters or not. The record of this call follows. 0: there is none.",
      ),
    },
    { title: "AuditRecordPage" },
  ),
  example: {
    input: { action: "memory.create", page_size: 50 },
    data: { logs: [exampleRecord], total: 1, page: 1, page_size: 50, next_cursor: null, newest_seq: 1284 },
  },

  async prepare(input, preparation) {
    const { page_size = auditPageSizeDefault, page = 1 } = input;
    const { store, caller, plan, now } = preparation;
    const hidden = await consoleReads(store, caller.project.id, input.without_console_reads);
    const { owner, conversation } = caller;
    const person = await findPersonFilter(store.subjects, caller.project, input);
    const named = { subject: owner.subject, conversation: conversation?.id ?? null, person };
    const list = describeList(input, caller.project.id, retentionFloor(plan, now), hidden, named);
    const found = await readPage(list, input, preparation);
    const data = {
      logs: found.records.map((record) => toAuditRecord(record, plan.hash)),
      total: found.total,
      page,
      page_size,
      next_cursor: cursorAfter(list.name, found),
      newest_seq: found.through,
    };
    return { precomputed: { data }, prepared: null };
  },
});

type ListFilters = RecordFilters & Static<ReturnType<typeof Fields<typeof recordSpan>>>;

interface List {
  /** The same for every page of the list. */
  readonly name: string;
  readonly filter: Omit<RecordQuery, "limit" | "through" | "total" | "after">;
}

/**
 * @param project id; null: the installation
 * @param floor records before this time are not shown; null: all are
 * @param hidden records that are left out; null: none
 * @param named whose records are wanted
 * @throws Refusal 1400
 */
export function describeList(
  input: ListFilters,
  project: string | null,
  floor: number | null,
  hidden: HiddenReads | null = null,
  named: NamedFilter = allNamed,
): List {
  const { from, to } = readSpan(input);
  const filter = toRecordFilter(input, named);
  const { action, keyId, memoryId, statusClass, tags, metadata } = filter;
  return {
    name: nameList(
      project,
      from,
      to,
      action,
      keyId,
      memoryId,
      statusClass,
      ...(hidden === null ? [] : ["hidden"]),
      ...(named.subject === null ? [] : [named.subject]),
      ...(named.conversation === null ? [] : ["conversation", named.conversation]),
      ...(named.person === null ? [] : ["person", named.person]),
      ...[tags, metadata].flatMap((memories) => (memories === null ? [] : [JSON.stringify(memories)])),
    ),
    filter: { ...filter, from: floor === null ? from : Math.max(floor, from ?? floor), to, hidden },
  };
}

/** Later pages show the list as it was when the first page was read. @throws Refusal 1400 */
async function readPage(
  { name, filter }: List,
  { cursor, page, page_size: limit = auditPageSizeDefault }: ListInput,
  { store, caller: { project, key }, pagePins, signal }: Preparation,
): Promise<RecordPage> {
  requireOnePlace({ cursor, page });
  if (cursor !== undefined) {
    return store.audit.list(project, { ...filter, ...pageAfter({ name, cursor, limit }) }, signal);
  }
  const pinned = `${key.id} ${name} ${limit}`;
  if (page === undefined || page === 1) {
    const reading = store.audit.list(project, { ...filter, ...firstPage(limit) }, signal);
    pagePins.set(pinned, reading);
    return reading;
  }
  const { through, total } = (await pagePins.find(pinned)) ?? { through: null, total: null };
  const after = { skip: (page - 1) * limit };
  return store.audit.list(project, { ...filter, limit, through, total, after }, signal);
}

type Page = Omit<RecordQuery, keyof List["filter"]>;

export function firstPage(limit: number): Page {
  return { limit, through: null, total: null, after: { skip: 0 } };
}

/** @param from the cursor, and the name of its list. @throws Refusal 1400 */
export function pageAfter(from: { name: string; cursor: string; limit: number }): Page {
  const { below, total } = fromCursor(from.name, from.cursor);
  return { limit: from.limit, through: null, total, after: { below } };
}

/** Null: there are no older records. */
export function cursorAfter(name: string, { records, total, hasMore }: RecordPage): string | null {
  const last = records.at(-1);
  return hasMore && last !== undefined ? toCursor(name, { below: last.seq, total }) : null;
}

/** Records before this time are older than the plan's retention; null: the plan has no limit. */
export function retentionFloor({ retentionDays }: Plan, now: number): number | null {
  return retentionDays === null ? null : now - retentionDays * dayMs;
}

/** @throws Refusal 1400 */
function readSpan({ start_time, end_time }: ListInput): {
  readonly from: number | null;
  readonly to: number | null;
} {
  const from = start_time === undefined ? null : (fromMoment(start_time)?.firstMs ?? null);
  const to = end_time === undefined ? null : (fromMoment(end_time)?.lastMs ?? null);
  if (from === null || to === null || from <= to) return { from, to };
  throw endBeforeStart();
}

export function endBeforeStart(): Refusal {
  return fieldRefusal("end_time", "is before start_time", "Swap the two");
}
