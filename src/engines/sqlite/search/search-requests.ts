// Owns how the searches of a group are answered, each by its name. Must never begin a transaction: the group has one.

import type { Project } from "../../../access/project.ts";
import { Refusal } from "../../../errors.ts";
import type { Database } from "../../../native/sqlite.ts";
import { toRefused } from "../../../threads/answer-requests.ts";
import { createProminenceReader, createRuleReader } from "../memories/memory-reader.ts";
import type { GroupRequestName, GroupRequests } from "./group-requests.ts";
import type { GroupOutcome, GroupRequest } from "./group-steps.ts";
import { type GroupSteps, takeTurns } from "./scanner-tasks.ts";
import type { Search } from "./search.ts";

type Answers = {
  readonly [Name in GroupRequestName]: (
    project: Project,
    query: GroupRequests[Name]["query"],
  ) => GroupRequests[Name]["answer"];
};

export function createSearchRequests(database: Database, { search, findSimilar }: Search) {
  const rules = createRuleReader(database);
  const prominent = createProminenceReader(database);
  const answers: Answers = {
    search,
    findSimilar,
    readForInjection: (project, query) => ({
      rules: rules(project, query.now),
      hits: search(project, query),
    }),
    readProminent: (project, query) => ({
      rules: rules(project, query.now),
      memories: prominent(project, query),
    }),
  };
  return function* answer(project: Project, requests: readonly GroupRequest[]): GroupSteps {
    const outcomes: GroupOutcome[] = [];
    for (const { name, query } of requests) {
      if (outcomes.length > 0) yield* takeTurns();
      // Only reader.ts names requests, with queries of their types.
      const read = answers[name as GroupRequestName] as (project: Project, query: unknown) => unknown;
      outcomes.push(outcomeOf(() => read(project, query)));
    }
    return outcomes;
  };
}

/** @throws every error but a Refusal */
function outcomeOf(read: () => unknown): GroupOutcome {
  try {
    return { answer: read() };
  } catch (error) {
    if (error instanceof Refusal) return { refused: toRefused(error, null) };
    throw error;
  }
}
