// Owns the question whether an answer that arrived while others wrote is explained by some state of the project between its request and
// its arrival. An answered write is in each of these states, so a later search must see it.

import type { SearchHit, SearchQuery } from "../../../src/calls/storage/memory-store.ts";
import { type NaiveMemory, rankNaively, rulesNaively } from "../../memory/ranking/naive-ranking.ts";
import { toNaiveHits } from "./search-answers.ts";

/** The memories of a project, by id. */
export type State = Map<string, NaiveMemory>;

interface Write {
  readonly apply: (state: State) => void;
  /** Moment of the answer. */
  readonly answeredAt: number;
}

interface Burst {
  /** Moment before the first of its writes was sent. */
  readonly sentAt: number;
  readonly writes: readonly Write[];
}

interface Answer {
  readonly query: SearchQuery;
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly hits: readonly SearchHit[];
  /** Ids of the rules of an injection; null: a plain search. */
  readonly rules: readonly string[] | null;
}

export interface SearchHistory {
  /** A number that is greater than all before. */
  moment(): number;
  /**
   * Sends writes that do not depend on each other, at once, and waits for all of them. Each of them returns what it has changed. Only one
   * burst of a project may be under way.
   */
  write(writes: readonly (() => Promise<(state: State) => void>)[]): Promise<void>;
  record(answer: Answer): void;
  /** @returns how many answers needed a write that was not answered when they were asked for. @throws Error when one is not explained */
  explain(): { readonly answers: number; readonly duringWrites: number };
}

export function createSearchHistory(initial: State): SearchHistory {
  let moments = 0;
  const moment = () => ++moments;
  const bursts: Burst[] = [];
  const answers: Answer[] = [];
  return {
    moment,
    async write(writes) {
      const sentAt = moment();
      const answered = writes.map(async (send): Promise<Write> => {
        const apply = await send();
        return { apply, answeredAt: moment() };
      });
      bursts.push({ sentAt, writes: await Promise.all(answered) });
    },
    record: (answer) => void answers.push(answer),
    explain() {
      const state: State = new Map(initial);
      let duringWrites = 0;
      let before = 0;
      for (const answer of answers.toSorted((a, b) => a.askedAt - b.askedAt)) {
        while (isBefore(bursts[before], answer.askedAt)) {
          for (const { apply } of bursts[before]?.writes ?? []) apply(state);
          before += 1;
        }
        const states = statesBetween(state, bursts.slice(before), answer);
        const at = states.findIndex((candidate) => explains(candidate(), answer));
        if (at < 0) throw new Error(describeUnexplained(state, states.length, answer));
        if (at > 0) duringWrites += 1;
      }
      return { answers: answers.length, duringWrites };
    },
  };
}

/** Whether all writes of the burst were answered before the moment. */
function isBefore(burst: Burst | undefined, moment: number): boolean {
  return burst?.writes.every(({ answeredAt }) => answeredAt < moment) ?? false;
}

/** The states that the project may have had between the question and the answer. */
function statesBetween(from: State, bursts: readonly Burst[], { askedAt, answeredAt }: Answer) {
  const states: (() => State)[] = [];
  const done: Write[] = [];
  const withWrites = (writes: readonly Write[]) => () => {
    const state: State = new Map(from);
    for (const { apply } of writes) apply(state);
    return state;
  };
  for (const { sentAt, writes } of bursts) {
    if (sentAt > answeredAt) break;
    const former = [...done];
    const certain = writes.filter((write) => write.answeredAt < askedAt);
    const possible = writes.filter((write) => write.answeredAt >= askedAt);
    for (let subset = 0; subset < 2 ** possible.length; subset++) {
      const taken = possible.filter((_, bit) => (subset >> bit) % 2 === 1);
      states.push(withWrites([...former, ...certain, ...taken]));
    }
    done.push(...writes);
  }
  return states.length === 0 ? [() => from] : states;
}

function explains(state: State, { query, hits, rules }: Answer): boolean {
  const memories = [...state.values()];
  const expected = rankNaively(memories, query);
  if (!Bun.deepEquals(expected, toNaiveHits(hits), true)) return false;
  return rules === null || Bun.deepEquals(rulesNaively(memories, query.now), rules, true);
}

function describeUnexplained(state: State, states: number, { query, hits, rules }: Answer): string {
  const memories = [...state.values()];
  const expected = rankNaively(memories, query).slice(0, 3);
  return [
    `none of ${states} states explains the answer to ${Bun.inspect({ ...query, vector: "" })}`,
    `expected before the writes: ${Bun.inspect(expected)}`,
    `found: ${Bun.inspect(toNaiveHits(hits).slice(0, 3))}`,
    `rules: ${rules?.length} and ${rulesNaively(memories, query.now).length}`,
  ].join("\n");
}
