// Owns search in the memories of owners of whom one has too many for an index in memory: similarities from sqlite-vec and the words in the database, in short
// steps. It needs a bit for each memory and word of the query, and no other memory that grows with the project.

import type { SearchQuery } from "../../../../calls/storage/memory-store.ts";
import { scoreErrorBound } from "../../../../memory/ranking/error-bound.ts";
import { ExactOrder } from "../../../../memory/ranking/exact-order.ts";
import { postingsAtOnce } from "../../../../memory/ranking/limits.ts";
import type { WordReader } from "../../../../memory/ranking/posting-lists.ts";
import {
  type CountHolders,
  keywordsOfOwners,
  type Reading,
  type ReadNearWords,
  type SearchedOwner,
} from "../../../../memory/ranking/query-keywords.ts";
import { finalScore, relevanceOf } from "../../../../memory/ranking/scores.ts";
import type { Database } from "../../../../platform/native/sqlite.ts";
import { toVector } from "../../memories/memory-row.ts";
import { createWordReader } from "../../words/reader.ts";
import { createScorer, type Scored } from "../scanners/exact-score.ts";
import { type ComparedRow, createMatchingRows } from "./matching-rows.ts";
import { RevisionSet } from "./revision-set.ts";

/** `owner`: position among those who are searched. Undefined when the query has no words. */
type KeywordOf = (owner: number, contentRevision: number) => number | undefined;

/** Continue each search in the read transaction in which it began. It returns the best memories, best first. */
export function createScan(database: Database, nearWordsOf: (owner: number) => ReadNearWords) {
  const matchingRows = createMatchingRows(database);
  const readWords = createWordReader(database);
  const embedding = database
    .prepare<[number], Uint8Array>("SELECT embedding FROM memory_vector WHERE memory = ?")
    .pluck();

  function* eligibleOf(owner: number, query: SearchQuery): Reading<RevisionSet> {
    const eligible = new RevisionSet();
    for (const revisions of matchingRows.contentRevisions(owner, query)) {
      for (const revision of revisions) eligible.add(revision);
      yield;
    }
    return eligible;
  }

  function* keywordsOf(owners: readonly number[], query: SearchQuery, words: string): Reading<KeywordOf> {
    const searched: SearchedOwner<RevisionSet>[] = [];
    for (const owner of owners) {
      const eligible = yield* eligibleOf(owner, query);
      const count = holdersAmong(eligible, (word, from, limit) => readWords(owner, word, from, limit));
      searched.push({ count, nearWords: nearWordsOf(owner), searched: eligible.size });
    }
    const keywords = yield* keywordsOfOwners(words, searched);
    return (owner, revision) => {
      let sum = 0;
      for (const { share, holders } of keywords) if (holders[owner]?.has(revision) === true) sum += share;
      return sum;
    };
  }

  return function* scan(owners: readonly number[], query: SearchQuery): Reading<readonly Scored[]> {
    const keywordOf: KeywordOf =
      query.words === null ? () => undefined : yield* keywordsOf(owners, query, query.words);
    // sqlite-vec computes three sums in float32 (the dot product and two lengths), so its error is several times that of one sum.
    const errorBound = 4 * scoreErrorBound(query.vector.length);
    const toScored = createScorer(query.vector);
    const order = new ExactOrder<Scored>([], query);
    const consider = (owner: number, { serial, content_revision, importance, distance }: ComparedRow) => {
      const most = Math.min(1, Math.max(0, 1 - distance + errorBound));
      if (most < query.minSimilarity) return;
      const keyword = keywordOf(owner, content_revision);
      // What rounding may take away is more than the bound that the similarity has.
      if (relevanceOf(most, keyword) < (query.minRelevance ?? 0) - errorBound) return;
      // Only the few rows that may be among the best so far need an exact score.
      if (finalScore(relevanceOf(most, keyword), importance) < order.floor) return;
      const bytes = embedding.get(serial);
      if (bytes !== undefined) order.add(toScored({ serial, importance, vector: toVector(bytes) }, keyword));
    };
    for (const [at, owner] of owners.entries()) {
      for (const rows of matchingRows.compared(owner, query)) {
        for (const row of rows) consider(at, row);
        yield;
      }
    }
    return order.best;
  };
}

/** Reads the list of each word in pieces. */
function holdersAmong(eligible: RevisionSet, read: WordReader): CountHolders<RevisionSet> {
  let reading = { word: "", from: 0, holders: new RevisionSet() };
  return (word) => {
    if (reading.word !== word) reading = { word, from: 0, holders: new RevisionSet() };
    const { holders } = reading;
    const revisions = read(word, reading.from, postingsAtOnce);
    for (const revision of revisions) if (eligible.has(revision)) holders.add(revision);
    reading.from = (revisions.at(-1) ?? 0) + 1;
    return revisions.length < postingsAtOnce ? { holders, count: holders.size } : null;
  };
}
