// Owns performing the checks of a project: whether each saved search still finds its memory, and if not, why. Changes nothing: a check is no use of
// a memory.

import { type Static, Type } from "@sinclair/typebox";
import { checksAtOnce } from "../../../memory/limits.ts";
import { exampleMemory, isExpired, type Memory } from "../../../memory/memory.ts";
import { finalScore } from "../../../memory/ranking/scores.ts";
import { type Check, checkId, exampleCheck } from "../../../memory/search/check.ts";
import { query } from "../../../memory/search/query.ts";
import { matchesTags } from "../../../memory/tags.ts";
import { topKMax } from "../../../platform/limits.ts";
import { cancelled } from "../../../platform/scheduling/cancellation.ts";
import { Choice, Count, Fields, Id, Nullable } from "../../../platform/schema/schema.ts";
import { type Preparation, projectOperation } from "../../contract/operation.ts";
import type { SearchHit, SearchQuery } from "../../storage/memory-store.ts";

const unit = { minimum: 0, maximum: 1 };
const reasons = ["deleted", "type", "tags", "inactive", "expired", "below_floor", "rank"] as const;
type Reason = (typeof reasons)[number];

const checkResult = Fields(
  {
    check_id: checkId,
    query,
    expected_memory_id: Id({ description: "The memory that the search must find." }),
    within: Type.Integer({ minimum: 1, description: "The memory must be among this many first results." }),
    passed: Type.Boolean({ description: "Whether it is among them." }),
    position: Nullable(
      Type.Integer({
        minimum: 1,
        description: `Its position in the results; null: it is not among the first ${topKMax}.`,
      }),
    ),
    similarity: Nullable(Type.Number({ ...unit, description: "Its similarity; null: it was not found." })),
    final_score: Nullable(Type.Number({ ...unit, description: "Its score; null: it was not found." })),
    reasons: Type.Array(
      Choice(reasons, {
        title: "CheckReason",
        description:
          "deleted: the memory does not exist any more. type, tags: the search has a filter that the memory does not match. inactive, expired: the memory is. below_floor: the similarity is below min_similarity. rank: other memories rank higher.",
      }),
      { description: "Why the check has failed; empty if it has passed." },
    ),
  },
  { title: "CheckResult" },
);
type CheckResult = Static<typeof checkResult>;

export const runChecks = projectOperation({
  name: "check.run",
  summary: "Run all checks",
  description:
    "Performs the search of each check of the project, and returns for each whether its memory is among the first results, and if not, why. One audit record has all results. A check does not change last_accessed_at.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  feature: "memory",
  mayRunLong: true,
  input: Fields({}),
  output: Fields(
    {
      passed: Count("Checks that have passed."),
      failed: Count("Checks that have failed."),
      results: Type.Array(checkResult, { description: "One result for each check, the oldest check first." }),
    },
    { title: "CheckRun" },
  ),
  example: {
    input: {},
    data: {
      passed: 0,
      failed: 1,
      results: [
        {
          check_id: exampleCheck.id,
          query: exampleCheck.query,
          expected_memory_id: exampleMemory.id,
          within: exampleCheck.within ?? 1,
          passed: false,
          position: 5,
          similarity: 0.62,
          final_score: 0.65,
          reasons: ["rank"],
        },
      ],
    },
  },

  prepare: (_input, preparation) =>
    preparation.inTurn(async () => {
      const { store, caller, signal, report } = preparation;
      const checks = await store.checks.list(caller.owner);
      const results: CheckResult[] = [];
      for (let start = 0; start < checks.length; start += checksAtOnce) {
        if (signal.aborted) throw cancelled();
        report(start / checks.length, "Running the checks");
        const some = checks.slice(start, start + checksAtOnce);
        results.push(...(await Promise.all(some.map((check) => runOne(check, preparation)))));
      }
      const passed = results.filter((result) => result.passed).length;
      const data = { passed, failed: results.length - passed, results };
      return { precomputed: { data }, prepared: null };
    }),
});

async function runOne(check: Check, preparation: Preparation): Promise<CheckResult> {
  const { store, caller, embed, now, signal } = preparation;
  const { search, memoryId, within } = check;
  const wanted: SearchQuery = {
    vector: await embed(search.query, "query"),
    words: search.mode === "hybrid" ? search.query : null,
    types: search.type === null ? null : [search.type],
    tags: search.tags,
    topK: topKMax,
    minSimilarity: search.minSimilarity,
    includeExpired: false,
    includeInactive: false,
    withProject: true,
    now,
  };
  const hits = await store.memories.search(caller.owner, wanted, signal);
  const at = hits.findIndex(({ memory }) => memory.id === memoryId);
  const hit = hits[at] ?? null;
  const position = hit === null ? null : at + 1;
  const result = {
    check_id: check.id,
    query: search.query,
    expected_memory_id: memoryId,
    within,
    position,
    similarity: hit?.similarity ?? null,
    final_score: hit === null ? null : finalScore(hit.relevance, hit.memory.importance),
  };
  if (position !== null && position <= within) return { ...result, passed: true, reasons: [] };
  if (position !== null) return { ...result, passed: false, reasons: ["rank"] };
  const found = await store.memories.find(caller.owner, memoryId);
  const reasons: Reason[] = found === null ? ["deleted"] : failedConditions(found.memory, wanted);
  if (reasons.length > 0) return { ...result, passed: false, reasons };
  const below = await findBelowFloor(memoryId, wanted, preparation);
  if (below === null) return { ...result, passed: false, reasons: ["rank"] };
  return { ...result, similarity: below.similarity, passed: false, reasons: ["below_floor"] };
}

function failedConditions(memory: Memory, { types, tags, now }: SearchQuery): Reason[] {
  const conditions: readonly (readonly [Reason, boolean])[] = [
    ["type", types === null || types.includes(memory.type)],
    ["tags", matchesTags(memory.tags, tags)],
    ["inactive", memory.active],
    ["expired", !isExpired(memory, now)],
  ];
  return conditions.filter(([, isMet]) => !isMet).map(([reason]) => reason);
}

/** The memory in a search without the floor; null: it is not among the best there either, or there is no floor. */
async function findBelowFloor(
  memoryId: string,
  wanted: SearchQuery,
  { store, caller, signal }: Preparation,
): Promise<SearchHit | null> {
  if (wanted.minSimilarity === 0) return null;
  const hits = await store.memories.search(caller.owner, { ...wanted, minSimilarity: 0 }, signal);
  const hit = hits.find(({ memory }) => memory.id === memoryId);
  return hit === undefined || hit.similarity >= wanted.minSimilarity ? null : hit;
}
