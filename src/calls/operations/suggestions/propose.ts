// Owns proposing a change of memories. Must never change a memory, and never tell what one says: a key that may only propose may not read.

import { Type } from "@sinclair/typebox";
import { exampleMemory, memoryId } from "../../../memory/memory.ts";
import { quoteMaxCharacters, quotesMax, reasonMaxCharacters } from "../../../memory/suggestions/limits.ts";
import type { ConcernedMemory } from "../../../memory/suggestions/suggestion.ts";
import { fieldRefusal, Refusal } from "../../../platform/errors.ts";
import { Choice, Fields, Text, Timestamp } from "../../../platform/schema/schema.ts";
import { fromTimestamp, toTimestamp } from "../../../platform/time/timestamp.ts";
import type { ProjectApplication } from "../../contract/application.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { Transaction } from "../../storage/store.ts";
import { ifUpdatedAt, requireVersion } from "../memories/change.ts";
import { requireMemory } from "../memories/read.ts";
import { addSuggestion } from "./add.ts";
import { isActiveField, type ProposedValues, proposedFields, toProposedFields } from "./planned-changes.ts";
import { exampleSuggestion, suggestionId } from "./view.ts";

const proposedKinds = ["create", "change", "replace", "delete"] as const;
type ProposedKind = (typeof proposedKinds)[number];

/** Fields that a kind needs, and others that it can have; nothing else can be said with it. */
const fieldsOfKind: Readonly<Record<ProposedKind, { needs: readonly string[]; takes: readonly string[] }>> = {
  create: { needs: ["content", "memory_type"], takes: Object.keys(proposedFields) },
  change: { needs: ["memory_id"], takes: [...Object.keys(proposedFields), "is_active"] },
  replace: { needs: ["memory_id", "content"], takes: Object.keys(proposedFields) },
  delete: { needs: ["memory_id"], takes: [] },
};

const said = ["kind", "reason", "quotes", "if_updated_at"];

export const proposeSuggestion = projectOperation({
  name: "suggestion.create",
  summary: "Propose a change of memories",
  description:
    "Proposes a new memory (create), other values of a memory (change), a new memory that replaces another one (replace), or the deletion of a memory (delete). Nothing changes until somebody accepts the suggestion. The answer says nothing about the memory. The call is refused with 2111 if too many proposed changes wait already.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  permission: "memory.propose",
  forSubjects: true,
  namesItsRecord: true,
  feature: "memory",
  refusals: [2100, 2108, 2111],
  success: 201,
  input: Fields({
    kind: Choice(proposedKinds, { title: "ProposedKind", description: "What is proposed." }),
    memory_id: Type.Optional({ ...memoryId, description: "The memory; not with create." }),
    ...proposedFields,
    is_active: isActiveField,
    reason: Type.Optional(
      Text({ maxLength: reasonMaxCharacters, description: "Why, for the person who decides." }),
    ),
    quotes: Type.Optional(
      Type.Array(Text({ maxLength: quoteMaxCharacters, description: "Words that were said." }), {
        maxItems: quotesMax,
        description: "What was said, word for word.",
      }),
    ),
    if_updated_at: ifUpdatedAt,
  }),
  output: Fields(
    {
      id: suggestionId,
      kind: Choice(proposedKinds, { description: "What is proposed." }),
      created_at: Timestamp({ description: "When it was proposed." }),
    },
    { title: "ProposedSuggestion" },
  ),
  example: {
    input: { kind: "replace", memory_id: exampleMemory.id, content: "Releases go out on Thursdays." },
    data: { id: exampleSuggestion.id, kind: "replace", created_at: exampleSuggestion.created_at },
  },

  async prepare(input) {
    requireFields(input);
  },

  async apply(transaction, input, _prepared, application) {
    const { kind, memory_id, reason = null, quotes = [], if_updated_at, ...values } = input;
    const { caller, now, recordId } = application;
    if (recordId === undefined) throw new Error("the call does not name its record");
    const concerned = await findConcerned(transaction, { memory_id, if_updated_at }, application);
    const suggestion = {
      kind,
      source: "key" as const,
      memories: concerned,
      fields: kind === "delete" ? null : toProposedFields(values),
      reason,
      quotes,
      record: recordId,
      key: caller.key.id,
    };
    const { id, createdAt } = await addSuggestion(transaction, caller.owner, suggestion, now);
    const memoryId = concerned[0]?.id;
    return {
      data: { id, kind, created_at: toTimestamp(createdAt) },
      ...(memoryId === undefined ? {} : { memoryId }),
    };
  },
});

/** @throws Refusal 1400 */
function requireFields(input: { readonly kind: ProposedKind } & ProposedValues): void {
  const { needs, takes } = fieldsOfKind[input.kind];
  const given = Object.keys(input).filter((name) => !said.includes(name));
  const missing = needs.find((name) => !given.includes(name));
  if (missing !== undefined) throw fieldRefusal(missing, `is required with the kind ${input.kind}`);
  const other = given.find((name) => !needs.includes(name) && !takes.includes(name));
  if (other !== undefined) throw fieldRefusal(other, `cannot be given with the kind ${input.kind}`);
  if (input.kind === "change" && given.length === 1)
    throw fieldRefusal("kind", "change needs at least one field that changes");
  toProposedFields(input);
}

/** @throws Refusal 2100 or 2108 */
async function findConcerned(
  transaction: Transaction,
  asked: { readonly memory_id: string | undefined; readonly if_updated_at: string | undefined },
  { caller: { owner, key } }: ProjectApplication,
): Promise<readonly ConcernedMemory[]> {
  const { memory_id, if_updated_at } = asked;
  if (memory_id === undefined) return [];
  const memory = await requireMemory(transaction, owner, memory_id);
  if (key.permissions.includes("memory.read"))
    requireVersion(memory, if_updated_at, "propose the change again");
  else if (if_updated_at !== undefined && fromTimestamp(if_updated_at) !== memory.updatedAt)
    throw changedSince;
  return [{ id: memory.id, updatedAt: memory.updatedAt }];
}

/** Without the time of the change: the key may not read when a memory was changed. */
const changedSince = new Refusal(
  2108,
  "The memory was changed meanwhile. Propose the change again when you know what it says now.",
);
