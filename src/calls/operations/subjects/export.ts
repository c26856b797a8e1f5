// Owns everything that is stored about a subject in one answer, for a person who asks for it.

import { Type } from "@sinclair/typebox";
import { auditRecordDetail } from "../../../audit/record-schema.ts";
import { toAuditRecordDetail } from "../../../audit/record-view.ts";
import { agentMemory, exampleMemory, toAgentMemory } from "../../../memory/memory.ts";
import { foundMax, proposedMax } from "../../../memory/suggestions/limits.ts";
import { Refusal } from "../../../platform/errors.ts";
import { Fields, Timestamp } from "../../../platform/schema/schema.ts";
import { subjectName } from "../../../platform/schema/subject-name.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { type Preparation, projectOperation } from "../../contract/operation.ts";
import { describeList, firstPage, retentionFloor } from "../ledger/list.ts";
import { suggestionView, toSuggestionView } from "../suggestions/view.ts";

const pageSize = 500;
/** More are read with the lists, page by page: one answer is in memory at once. */
const itemsMax = 10_000;

export const exportSubject = projectOperation({
  name: "subject.export",
  summary: "Export a subject",
  description:
    "Returns everything that is stored about a subject: its memories, oldest first, the suggestions about them that wait, and the records of the calls for it, newest first, with what was said and answered. A subject that is not known has nothing.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.read",
  forSubjects: "known",
  feature: "audit",
  // It has records.
  answersWithRecords: true,
  input: Fields({}),
  output: Fields(
    {
      subject: subjectName,
      exported_at: Timestamp({ description: "When the export was made." }),
      memories: Type.Array(agentMemory),
      suggestions: Type.Array(suggestionView),
      records: Type.Array(auditRecordDetail),
    },
    { title: "SubjectExport" },
  ),
  example: {
    input: { subject: "user:42" },
    data: {
      subject: "user:42",
      exported_at: "2026-11-21T09:30:00.000Z",
      memories: [{ ...exampleMemory, subject: "user:42" }],
      suggestions: [],
      records: [],
    },
  },

  prepare: (_input, preparation) =>
    preparation.inTurn(async () => {
      const { caller, now } = preparation;
      if (caller.subject === null) throw new Error("the path names a subject");
      const data = {
        subject: caller.subject.name,
        exported_at: toTimestamp(now),
        memories: await memoriesOf(preparation),
        suggestions: await suggestionsOf(preparation),
        records: await recordsOf(preparation),
      };
      return { precomputed: { data }, prepared: null };
    }),
});

async function memoriesOf({ store, caller, signal }: Preparation) {
  const memories = [];
  const query = { type: null, tags: null, withVectors: false, limit: pageSize };
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page = await store.memories.exportPage(caller.owner, { ...query, cursor }, signal);
    memories.push(...(page?.memories ?? []).map(toAgentMemory));
    if (memories.length > itemsMax) throw tooMany("memories", "GET /v1/memories/export");
    cursor = page?.next ?? null;
  }
  return memories;
}

async function suggestionsOf({ store, caller }: Preparation) {
  const query = { kind: null, memory: null, after: null, limit: proposedMax + foundMax };
  const found = await store.suggestions.list(caller.owner, query);
  const views = await Promise.all(found.map((each) => toSuggestionView(each, caller, store.memories)));
  return views.filter((view) => view !== null);
}

async function recordsOf({ store, caller, plan, now, signal }: Preparation) {
  const { filter } = describeList({}, caller.project.id, retentionFloor(plan, now), null, {
    subject: caller.owner.subject,
    conversation: null,
    person: null,
  });
  const records = [];
  let page = await store.audit.list(caller.project, { ...filter, ...firstPage(pageSize) }, signal);
  for (;;) {
    records.push(...page.records.map((record) => toAuditRecordDetail(record, plan.hash)));
    if (records.length > itemsMax) throw tooMany("records", "GET /v1/audit/logs");
    const last = page.records.at(-1);
    if (!page.hasMore || last === undefined) return records;
    const rest = { limit: pageSize, through: null, total: page.total, after: { below: last.seq } };
    page = await store.audit.list(caller.project, { ...filter, ...rest }, signal);
  }
}

function tooMany(what: string, path: string): Refusal {
  return new Refusal(
    1400,
    `The subject has more than ${itemsMax.toLocaleString("en")} ${what}, which is too much for one answer. Read them page by page with ${path}.`,
  );
}
