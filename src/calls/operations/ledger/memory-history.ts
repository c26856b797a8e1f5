// Owns the history of a memory: what the ledger says about who made, changed, deleted and used it. Reads no record that is older than the
// plan's retention. It needs no memory, so the history of a deleted one is there as long as its records are.

import { type Static, Type } from "@sinclair/typebox";
import { completeEvents, type MemoryRecord } from "../../../audit/complete-events.ts";
import { fromCursor, nameList, toCursor } from "../../../audit/list-cursor.ts";
import {
  bulkDeletion,
  bulkDeletionEvent,
  memoryEventKinds,
  mentioningActions,
  namingActions,
  toMemoryEvent,
} from "../../../audit/memory-events.ts";
import type { StoredRecord } from "../../../audit/record.ts";
import { auditRecord, exampleRecord } from "../../../audit/record-schema.ts";
import { parseObject, toAuditRecordDetail } from "../../../audit/record-view.ts";
import { toId } from "../../../platform/ids.ts";
import { isObject } from "../../../platform/json/json.ts";
import { pageSizeDefault } from "../../../platform/limits.ts";
import { pageSizeField } from "../../../platform/schema/page.ts";
import { Choice, Fields, Id, Nullable } from "../../../platform/schema/schema.ts";
import { type Preparation, projectOperation } from "../../contract/operation.ts";
import { consoleReads } from "./console-reads.ts";
import { retentionFloor, withoutConsoleReads } from "./list.ts";

/** A step reads up to 200 records (engines); so many steps are a page at most, even if they find little. */
const stepsMax = 25;
/** A memory's id has the time of its creation, unless it follows from a source id. Its record may be later, and never earlier than this. */
const creationSlackMs = 60_000;

const nullable = (description: string) => Nullable(Type.String({ description }));
const score = (description: string) => Nullable(Type.Number({ minimum: 0, maximum: 1, description }));
const { id, seq, action, key_id, created_at } = auditRecord.properties;

const memoryEvent = Fields(
  {
    kind: Choice(memoryEventKinds, {
      title: "MemoryEventKind",
      description:
        "created, changed, deleted: what the call did. found: a search returned the memory. injected: it was in a prompt. read: a call read it by its id.",
    }),
    audit_id: id,
    seq,
    action,
    created_at,
    key_id,
    transport: nullable("How the call arrived, such as mcp; null for calls over HTTP."),
    client_name: nullable("Name and version of the client program, as reported by the client."),
    values: Nullable(
      Type.Object(
        {},
        {
          title: "MemoryValues",
          description:
            "Values of the memory after the call, as far as the record has them; null: it has none. With superseded_by if the call has found a newer memory that replaces it.",
        },
      ),
    ),
    former: Nullable(
      Type.Object(
        {},
        {
          title: "PreviousMemoryValues",
          description: "What the changed fields were before; null: nothing changed, or no record has it.",
        },
      ),
    ),
    evidence: nullable("The sentence of the text from which an extraction took the content."),
    source_record: nullable("Record of the conversation from which an extraction made the memory."),
    query: nullable("What was searched for."),
    similarity: score("Cosine similarity of the query and the memory."),
    final_score: score("The score of the memory in this search."),
    redacted: Type.Boolean({ description: "Whether the payload of the record was erased or has expired." }),
  },
  { title: "MemoryEvent" },
);

export const readMemoryHistory = projectOperation({
  name: "memory.history",
  summary: "Read the history of a memory",
  description:
    "Returns what the audit records say about a memory, newest first: by default who created, changed and deleted it; with include uses, which searches, injections and reads returned it. The memory may be deleted. A call reads a limited number of records, so a page can have fewer events than page_size, or none: follow next_cursor until it is null. Records that were removed or erased, or are older than the plan's retention, are missing.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.read",
  feature: "audit",
  answersWithRecords: true,
  input: Fields({
    memory_id: Id({ description: "Memory identifier, 32 hexadecimal characters." }),
    include: Type.Optional(
      Choice(["changes", "uses"], {
        title: "MemoryHistoryPart",
        default: "changes",
        description: "changes: created, changed, deleted. uses: found, injected, read.",
      }),
    ),
    ...withoutConsoleReads,
    cursor: Type.Optional(
      Type.String({ description: "next_cursor of the previous page, with the same filters." }),
    ),
    page_size: pageSizeField("Events per page.", pageSizeDefault),
  }),
  output: Fields(
    {
      events: Type.Array(memoryEvent),
      next_cursor: Nullable(
        Type.String({
          description: "Cursor of the next page; null if no older record can be about the memory.",
        }),
      ),
    },
    { title: "MemoryHistory" },
  ),
  example: {
    input: { memory_id: "019a2b3c4d5e7f708192a3b4c5d6e7f8" },
    data: {
      events: [
        {
          kind: "changed",
          audit_id: exampleRecord.id,
          seq: 1284,
          action: "memory.update",
          created_at: exampleRecord.created_at,
          key_id: exampleRecord.key_id,
          transport: null,
          client_name: null,
          values: { content: "Releases go out on Wednesdays.", importance: 0.7 },
          former: { content: "Releases go out on Tuesdays." },
          evidence: null,
          source_record: null,
          query: null,
          similarity: null,
          final_score: null,
          redacted: false,
        },
      ],
      next_cursor: null,
    },
  },

  async prepare(input, preparation) {
    const { include = "changes", cursor, page_size = pageSizeDefault } = input;
    const memory_id = toId(input.memory_id) ?? input.memory_id;
    const { store, caller } = preparation;
    // A change is always shown.
    const isHiding = include === "uses" && input.without_console_reads === true;
    const hidden = await consoleReads(store, caller.project.id, isHiding);
    const filters = isHiding ? [include, "hidden"] : [include];
    const list = nameList(caller.project.id, "memory.history", memory_id, ...filters);
    const below = cursor === undefined ? null : fromCursor(list, cursor).below;
    const found = await search(
      { memory_id, include, below, limit: page_size, withoutKeys: hidden?.keyIds ?? [] },
      preparation,
    );
    const events = completeEvents(found.records.toReversed()).toReversed();
    const data = {
      events: events.map(({ of, event }) => ({ ...of, ...event })),
      next_cursor: found.below === null ? null : toCursor(list, { below: found.below, total: 0 }),
    };
    return { precomputed: { data }, prepared: null };
  },
});

type EventRecord = Pick<
  Static<typeof memoryEvent>,
  "audit_id" | "seq" | "action" | "created_at" | "key_id" | "transport" | "client_name" | "query" | "redacted"
>;

interface Wanted {
  readonly memory_id: string;
  readonly include: "changes" | "uses";
  readonly below: number | null;
  readonly limit: number;
  readonly withoutKeys: readonly string[];
}

/** Reads on until the page is full, there are no older records, or it has read enough. */
async function search(
  { memory_id: memoryId, include, below: start, limit, withoutKeys }: Wanted,
  { store, caller, plan, now, signal }: Preparation,
): Promise<{ records: MemoryRecord<EventRecord>[]; below: number | null }> {
  const floor = retentionFloor(plan, now);
  const created = creationOf(memoryId);
  const from = Math.max(floor ?? 0, created === null ? 0 : created - creationSlackMs);
  const query = {
    memoryId,
    naming: namingActions[include],
    mentioning: mentioningActions[include],
    always: include === "changes" ? bulkDeletion : null,
    from: from === 0 ? null : from,
    withoutKeys,
  };
  const records: MemoryRecord<EventRecord>[] = [];
  let below = start;
  for (let step = 0; step < stepsMax; step++) {
    const found = await store.audit.mentions(caller.project, { ...query, below }, signal);
    for (const record of found.records) {
      const event = toRecord(record, memoryId);
      if (event === null) continue;
      records.push(event);
      // The next page begins with the next record, whether it is about the memory or not.
      if (records.length === limit) return { records, below: record.seq > 1 ? record.seq : null };
    }
    below = found.below;
    if (below === null) break;
  }
  return { records, below };
}

/** When the memory was created; null: the id does not say it. */
function creationOf(memoryId: string): number | null {
  return memoryId.charAt(12) === "7" ? Number.parseInt(memoryId.slice(0, 12), 16) : null;
}

function toRecord(record: StoredRecord, memoryId: string): MemoryRecord<EventRecord> | null {
  const detail = toAuditRecordDetail(record, false);
  const { id: audit_id, seq, action, created_at, key_id, transport, client_name } = detail;
  const [query = null] = Array.isArray(detail.memory_query) ? detail.memory_query : [];
  const isUse = action === "memory.search" || action === "memory.inject";
  const of = {
    audit_id,
    seq,
    action,
    created_at,
    key_id,
    transport,
    client_name,
    query: isUse && typeof query === "string" ? query : null,
    redacted:
      detail.redacted ||
      detail.payload_expired ||
      (detail.memory_id === memoryId && detail.erased_places.length > 0),
  };
  if (action === bulkDeletion) {
    const conditions = isObject(detail.request_body) ? detail.request_body : {};
    return detail.is_success && !of.redacted ? { of, event: bulkDeletionEvent, conditions } : null;
  }
  const { former_values: previousValues, made_of: madeOf } = parseObject(record.payload) ?? {};
  const event = toMemoryEvent({ detail, previousValues, madeOf }, memoryId);
  return event === null ? null : { of, event, conditions: null };
}
