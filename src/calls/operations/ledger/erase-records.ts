// Owns erasing the payloads of audit records. The entries stay, so the chain still verifies, and a record on the chain says which
// payloads were erased.

import { Type } from "@sinclair/typebox";
import { toServerRecord } from "../../../audit/record.ts";
import { repeatsText } from "../../../audit/trace/trace-texts.ts";
import type { Trace, TracedRecord } from "../../../audit/trace/traced.ts";
import { wordsOf } from "../../../memory/suggestions/suggestion.ts";
import { Refusal, successCode } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { Choice, Count, Fields, Flag, Nullable } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";
import type { AfterCommit } from "../../storage/after-commit.ts";
import type { Transaction } from "../../storage/store.ts";
import {
  countHoldings,
  describeErased,
  erased,
  type Holders,
  heldCounts,
  notErasable,
  traceText,
  withPlainIds,
} from "./erased.ts";

export const eraseRecords = installationOperation({
  name: "audit.redact",
  summary: "Erase payloads of audit records",
  description:
    "Permanently erases the text of a memory or of a record from the payload of every record that holds it: those that name it, those that it came from, and those that repeat it. The other parts of these payloads are kept; records of older versions lose the whole payload, and so does the named record. Removes the files of exports that contain these records, and deletes the checks that expect the memory or have its text, and the suggestions that concern it or have its text. The memories themselves are kept, unless the same call deletes them. The chain still verifies. audit.trace says beforehand which records it would erase.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: Fields({
    ...erased,
    delete_memory: Flag(
      "Whether to delete the memory too; for a record, the memories that were made from it and still say the same.",
    ),
  }),
  output: Fields({
    redacted: Type.Integer({
      description: "Number of records whose payload, or parts of it, were erased by this call.",
    }),
    records: Type.Array(Type.String(), { description: "Ids of these records." }),
    parts: Count("Number of parts that were erased of payloads of which the rest was kept."),
    ...heldCounts,
    exports: Type.Array(Type.String(), {
      description:
        "Ids of the exports that contained these records. The server has removed their files; delete downloaded copies yourself.",
    }),
    checks: Count("Number of checks that were deleted."),
    suggestions: Count("Number of suggestions that were deleted."),
    memory: Nullable(
      Choice(["deleted", "kept", "absent"], {
        description:
          "What happened to the memory: deleted; kept (it still exists, and new records may contain its text); or absent (no memory has this id). Null if the call named a record.",
      }),
    ),
    deleted_memories: Type.Array(Type.String(), { description: "Ids of the memories that were deleted." }),
    remaining_memories: Type.Array(Type.String(), {
      description:
        "Ids of the memories that still have the text. Erase them, too, if they are about the same.",
    }),
  }),

  prepare: (input, { store, signal }): Promise<Holders> => traceText(input, store, signal),

  async apply(transaction, input, application, holders) {
    const { now } = application;
    const sender = application.sender();
    const end = (memory: string, isDeleted: boolean) =>
      deleteNamed(transaction, memory, isDeleted, { now, sender });
    const { memory, delete_memory = false } = withPlainIds(input);
    // Calls that were answered while the payloads were read have added records that must be searched too.
    const later = await transaction.audit.traceAfter(holders);
    const held = [...holders.records, ...later].filter(({ action }) => !notErasable.includes(action));
    const state = memory === undefined ? null : await end(memory, delete_memory);
    const deleted = memory !== undefined && state === "deleted" ? [memory] : [];
    for (const made of delete_memory ? holders.made : []) {
      if ((await end(made, true)) === "deleted") deleted.push(made);
    }
    const { records, exports } = await transaction.audit.erase(held);
    // A check has a query about the memory, which its records had, too.
    let checks = 0;
    for (const id of new Set([...(memory === undefined ? [] : [memory]), ...deleted]))
      checks += await transaction.checks.removeExpecting(id);
    checks += await removeRepeating(transaction, holders.trace);
    const suggestions = await removeSuggestions(transaction, holders.trace, input.record);
    if (memory !== undefined && records.length === 0 && checks + suggestions === 0 && state !== "deleted") {
      // The operator may have repeated the call because its effects failed: they are run again.
      return { refusal: nothingHolds(state), after: erasureEffects };
    }
    const byProject = Map.groupBy(records, ({ project }) => project);
    for (const [project, members] of byProject) {
      const payload = { ...sender, ...describeErasure(input, members) };
      await transaction.audit.append(toServerRecord(project, "audit.redact", now, payload));
      // Verifiers accept a record of a removal only if a signed checkpoint covers it: anyone with write access can append a record.
      await transaction.audit.signCheckpoint(project, now);
    }
    return {
      data: {
        ...countErased(records),
        exports: [...exports],
        memory: state,
        checks,
        suggestions,
        deleted_memories: deleted,
        remaining_memories: holders.memories.filter((id) => !deleted.includes(id)),
      },
      after: erasureEffects,
    };
  },
});

const erasureEffects: readonly AfterCommit[] = [
  { effect: "remove_erased_text" },
  { effect: "remove_expired_exports" },
  { effect: "remove_cached_vectors", project: null },
];

/** What was asked for, and what of it was erased in one chain. */
function describeErasure(input: JsonObject, members: readonly TracedRecord[]): JsonObject {
  return {
    ...describeErased(members),
    request_body: input,
    response_body: { success: true, code: successCode, message: "success", data: countErased(members) },
  };
}

function countErased(members: readonly TracedRecord[]) {
  return {
    redacted: members.length,
    records: members.map(({ id }) => id),
    parts: members.reduce((sum, { parts }) => sum + (parts?.length ?? 0), 0),
    ...countHoldings(members),
  };
}

/** Checks whose query has the text, whichever memory they expect. @returns their number */
async function removeRepeating({ checks }: Transaction, trace: Trace): Promise<number> {
  let removed = 0;
  for (const project of trace.projects) {
    if (project === null) continue;
    for (const check of await checks.listAll({ id: project }))
      if (repeatsText(trace, check.search.query)) removed += await checks.removeById(check.id);
  }
  return removed;
}

/** Those that have the text, and those that the named record has made. Those of a deleted memory are gone with it. @returns their number */
async function removeSuggestions(
  { suggestions }: Transaction,
  trace: Trace,
  record: string | undefined,
): Promise<number> {
  let removed = record === undefined ? 0 : await suggestions.removeOfRecord(record.trim().toLowerCase());
  for (const project of trace.projects) {
    if (project === null) continue;
    for (const suggestion of await suggestions.listAll({ id: project })) {
      const isAbout = suggestion.memories.some((memory) => trace.memories.includes(memory.id));
      if (isAbout || wordsOf(suggestion).some((text) => repeatsText(trace, text)))
        removed += await suggestions.removeById(suggestion.id);
    }
  }
  return removed;
}

function nothingHolds(state: "kept" | "absent" | null): Refusal {
  const rest =
    state === "kept" ? "The memory itself exists: to delete it, add --delete-memory." : "Check the id.";
  return new Refusal(
    2204,
    `Nothing was erased: no audit record contains this memory, or its records were erased or pruned before. ${rest}`,
  );
}

/** Deletes the memory if it exists and `isDeleted` is true, and appends the same record as a call of memory.delete. */
async function deleteNamed(
  transaction: Transaction,
  id: string,
  isDeleted: boolean,
  { now, sender }: { readonly now: number; readonly sender: JsonObject },
): Promise<"deleted" | "kept" | "absent"> {
  const owner = await transaction.memories.ownerOf(id);
  const memory = owner === null ? null : await transaction.memories.find(owner, id);
  if (owner === null || memory === null) return "absent";
  if (!isDeleted) return "kept";
  await transaction.memories.remove(owner, id, now);
  const { type, importance } = memory;
  await transaction.audit.append({
    ...toServerRecord(owner.project, "memory.delete", now, {
      ...sender,
      deleted_memory: { memory_type: type, importance },
    }),
    status: 204,
    memoryId: id,
  });
  return "deleted";
}
