// Owns the operations with which somebody decides about suggestions: accept, merge and refuse, one or many.

import { type Static, type TObject, Type } from "@sinclair/typebox";
import { index, refusalFields } from "../../../memory/batch-result.ts";
import { content, exampleMemory } from "../../../memory/memory.ts";
import { decisionsMax } from "../../../memory/suggestions/limits.ts";
import { embeddingsAtOnce } from "../../../platform/limits.ts";
import { Choice, Count, Fields } from "../../../platform/schema/schema.ts";
import type { ProjectApplication } from "../../contract/application.ts";
import { type Preparation, projectOperation } from "../../contract/operation.ts";
import type { AfterCommit } from "../../storage/after-commit.ts";
import type { Transaction } from "../../storage/store.ts";
import { batchesOf } from "../extraction/compare-items.ts";
import { refuseItem } from "../memories/batch-item.ts";
import { acceptOne, type Embedded, embedAccepted, takeOut } from "./decide.ts";
import { type Acceptance, asProposed, proposedFields } from "./planned-changes.ts";
import { exampleSuggestion, suggestedChange, suggestionId, suggestionKind } from "./view.ts";

const decided = { permission: "memory.write", forSubjects: true, feature: "memory" } as const;
const effects = { readOnly: false, destructive: true, idempotent: true };

const acceptedSuggestion = Fields(
  {
    id: suggestionId,
    kind: suggestionKind,
    changes: Type.Array(suggestedChange, { description: "What was changed, with what undoes it." }),
  },
  { title: "AcceptedSuggestion" },
);
const refusedSuggestion = Fields({ id: suggestionId, kind: suggestionKind }, { title: "RefusedSuggestion" });

const exampleChanges = [
  {
    change: "changed" as const,
    id: exampleMemory.id,
    before: { is_active: true },
    after: { is_active: false, superseded_by: "019a2b3c4d5e7f708192a3b4c5d6e7fa" },
    updated_at: "2026-11-21T09:31:00.000Z",
  },
];
const { id: exampleId, kind: exampleKind } = exampleSuggestion;

/** An operation that accepts one suggestion. */
function accepting<Given extends TObject>(
  description: Pick<
    Parameters<typeof projectOperation<Given, Embedded, typeof acceptedSuggestion>>[0],
    "name" | "summary" | "description" | "input" | "example"
  >,
  toAcceptance: (input: Static<Given>) => Acceptance,
) {
  type Input = Static<Given> & { readonly suggestion_id: string };
  return projectOperation<Given, Embedded, typeof acceptedSuggestion>({
    ...description,
    ...decided,
    effects,
    refusals: [2101, 2104, 2108, 2110],
    output: acceptedSuggestion,
    prepare: (input, preparation) =>
      embedAccepted((input as Input).suggestion_id, toAcceptance(input), preparation),
    async apply(transaction, input, embedded, application) {
      const given = { acceptance: toAcceptance(input), embedded };
      const accepted = await acceptOne(transaction, (input as Input).suggestion_id, given, application);
      const { suggestion, changes, after } = accepted;
      const [memoryId] = changes.flatMap(({ id }) => id ?? []);
      return {
        data: { id: suggestion.id, kind: suggestion.kind, changes: [...changes] },
        ...(memoryId === undefined ? {} : { memoryId }),
        ...(after.length > 0 && { after }),
      };
    },
  });
}

export const acceptSuggestion = accepting(
  {
    name: "suggestion.accept",
    summary: "Accept a suggestion",
    description:
      "Does what the suggestion proposes, or with the given values instead of the proposed ones. A memory that is replaced becomes inactive, with superseded_by. The call is refused with 2108 if a memory of the suggestion was changed meanwhile. An update with the fields of before undoes the change of a memory; a replaced memory is active again with is_active true.",
    input: Fields({ suggestion_id: suggestionId, ...proposedFields }),
    example: {
      input: { suggestion_id: exampleId },
      data: { id: exampleId, kind: exampleKind, changes: exampleChanges },
    },
  },
  ({ suggestion_id: _, ...values }) => ({ values, isMerged: false }),
);

export const mergeSuggestion = accepting(
  {
    name: "suggestion.merge",
    summary: "Merge the memories of a suggestion",
    description:
      "Replaces the older memory as accepting does, and gives the other one a text of both: content, or without it the two texts, unless one has the words of the other.",
    input: Fields({
      suggestion_id: suggestionId,
      content: Type.Optional({ ...content, description: "The text of both memories." }),
    }),
    example: {
      input: { suggestion_id: exampleId, content: "Releases go out on Tuesdays and Thursdays." },
      data: { id: exampleId, kind: exampleKind, changes: exampleChanges },
    },
  },
  ({ suggestion_id: _, ...values }) => ({ values, isMerged: true }),
);

export const refuseSuggestion = projectOperation({
  name: "suggestion.refuse",
  summary: "Refuse a suggestion",
  description: "Removes a suggestion. Memories stay as they are.",
  ...decided,
  effects,
  refusals: [2110],
  input: Fields({ suggestion_id: suggestionId }),
  output: refusedSuggestion,
  example: { input: { suggestion_id: exampleId }, data: { id: exampleId, kind: exampleKind } },

  async apply(transaction, { suggestion_id }, _prepared, { caller: { owner } }) {
    const { id, kind } = await takeOut(transaction, owner, suggestion_id);
    return { data: { id, kind } };
  },
});

const suggestionIds = (what: string) =>
  Type.Array(suggestionId, {
    minItems: 1,
    maxItems: decisionsMax,
    description: `The suggestions that are ${what}, in this order.`,
  });

const decisionResult = Fields(
  {
    index,
    status: Choice(["accepted", "refused", "failed"], {
      title: "DecisionStatus",
      description: "failed: the suggestion stays as it is, for the reason that code and message say.",
    }),
    id: Type.Optional(suggestionId),
    kind: Type.Optional(suggestionKind),
    changes: Type.Optional(Type.Array(suggestedChange, { description: "Of an accepted suggestion." })),
    ...refusalFields,
  },
  { title: "DecisionResult", description: "What became of a suggestion." },
);
type DecisionResult = Static<typeof decisionResult>;

const decisionResults = Fields(
  {
    decided: Count("Suggestions that were accepted or refused, as the call says."),
    failed: Count("Suggestions that stay as they are."),
    results: Type.Array(decisionResult, { description: "One result for each, in the order of the request." }),
  },
  { title: "DecisionResults" },
);

export const acceptSuggestions = projectOperation({
  name: "suggestion.accept_batch",
  summary: "Accept several suggestions",
  description: `Accepts up to ${decisionsMax} suggestions as they are proposed, one after the other in one transaction, with a result for each. One that cannot be accepted does not keep the others from it.`,
  ...decided,
  effects,
  mayRunLong: true,
  input: Fields({ suggestion_ids: suggestionIds("accepted") }),
  output: decisionResults,
  example: {
    input: { suggestion_ids: [exampleId] },
    data: {
      decided: 1,
      failed: 0,
      results: [{ index: 0, status: "accepted", id: exampleId, kind: exampleKind, changes: exampleChanges }],
    },
  },

  prepare: ({ suggestion_ids }, preparation) =>
    preparation.inTurn(() => embedAll(suggestion_ids, preparation)),

  async apply(transaction, { suggestion_ids }, embedded, application) {
    const after: AfterCommit[] = [];
    const data = await decideAll(transaction, suggestion_ids, async (id, at) => {
      const given = { acceptance: asProposed, embedded: embedded[at] ?? null };
      const accepted = await acceptOne(transaction, id, given, application);
      if (after.length === 0) after.push(...accepted.after);
      const { suggestion, changes } = accepted;
      return { status: "accepted", id: suggestion.id, kind: suggestion.kind, changes: [...changes] };
    });
    return { data, ...(after.length > 0 && { after }) };
  },
});

export const refuseSuggestions = projectOperation({
  name: "suggestion.refuse_batch",
  summary: "Refuse several suggestions",
  description: `Removes up to ${decisionsMax} suggestions, with a result for each. Memories stay as they are.`,
  ...decided,
  effects,
  input: Fields({ suggestion_ids: suggestionIds("refused") }),
  output: decisionResults,
  example: {
    input: { suggestion_ids: [exampleId] },
    data: {
      decided: 1,
      failed: 0,
      results: [{ index: 0, status: "refused", id: exampleId, kind: exampleKind }],
    },
  },

  async apply(transaction, { suggestion_ids }, _prepared, { caller: { owner } }: ProjectApplication) {
    const data = await decideAll(transaction, suggestion_ids, async (suggestion_id) => {
      const { id, kind } = await takeOut(transaction, owner, suggestion_id);
      return { status: "refused", id, kind };
    });
    return { data };
  },
});

/** What of a failed one was changed is undone. */
async function decideAll(
  transaction: Transaction,
  ids: readonly string[],
  decide: (id: string, at: number) => Promise<Omit<DecisionResult, "index">>,
): Promise<Static<typeof decisionResults>> {
  const results: DecisionResult[] = [];
  for (const [index, id] of ids.entries()) {
    const work = () => transaction.attempt(() => decide(id, index));
    const result = await work().catch((error: unknown) => ({
      status: "failed" as const,
      ...refuseItem(error),
    }));
    results.push({ index, ...result });
  }
  const failed = results.filter(({ status }) => status === "failed").length;
  return { decided: results.length - failed, failed, results };
}

/** Few texts wait at once, so that other calls of the project can use the embedder, too. */
async function embedAll(ids: readonly string[], preparation: Preparation): Promise<Embedded[]> {
  const embedded: Embedded[] = [];
  for (const batch of batchesOf(ids, embeddingsAtOnce, preparation.signal))
    embedded.push(...(await Promise.all(batch.map((id) => embedAccepted(id, asProposed, preparation)))));
  return embedded;
}
