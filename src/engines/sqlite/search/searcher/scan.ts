// Owns search in a project that is too large for an index in memory: similarities from sqlite-vec and the words in the database, in short
// steps. It needs a bit for each memory and word of the query, and no other memory that grows with the project.

import type { Project } from "../../../../access/project.ts";
import type { SearchQuery } from "../../../../memory/store.ts";
import type { Database } from "../../../../native/sqlite.ts";
import { scoreErrorBound } from "../../../../ranking/error-bound.ts";
import { ExactOrder } from "../../../../ranking/exact-order.ts";
import { postingsAtOnce } from "../../../../ranking/limits.ts";
import type { WordReader } from "../../../../ranking/posting-lists.ts";
import {
  type CountHolders,
  countedKeywords,
  type Reading,
  type ReadNearWords,
} from "../../../../ranking/query-keywords.ts";
import { finalScore, relevanceOf } from "../../../../ranking/scores.ts";
import { toVector } from "../../memories/memory-row.ts";
import { createWordReader } from "../../memories/word-reader.ts";
import { serialsOf } from "../../project-serials.ts";
import { createScorer, type Scored } from "../scanners/exact-score.ts";
import { createMatchingRows } from "./matching-rows.ts";
import { RevisionSet } from "./revision-set.ts";

/** Undefined when the query has no words. */
type KeywordOf = (contentRevision: number) => number | undefined;

/** Continue each search in the read transaction in which it began. It returns the best memories, best first. */
export function createScan(database: Database, nearWordsOf: (project: number) => ReadNearWords) {
  const serialOf = serialsOf(database);
  const matchingRows = createMatchingRows(database);
  const readWords = createWordReader(database);
  const embedding = database
    .prepare<[number], Uint8Array>("SELECT embedding FROM memory_vector WHERE memory = ?")
    .pluck();

  function* keywordsOf(project: Project, query: SearchQuery, words: string): Reading<KeywordOf> {
    const eligible = new RevisionSet();
    for (const revisions of matchingRows.contentRevisions(project, query)) {
      for (const revision of revisions) eligible.add(revision);
      yield;
    }
    const serial = serialOf(project.id);
    const count = holdersAmong(eligible, (word, from, limit) => readWords(serial, word, from, limit));
    const keywords = yield* countedKeywords(words, count, nearWordsOf(serial), eligible.size);
    return (revision) => {
      let sum = 0;
      for (const { share, holders } of keywords) if (holders.has(revision)) sum += share;
      return sum;
    };
  }

  return function* scan(project: Project, query: SearchQuery): Reading<readonly Scored[]> {
    const keywordOf: KeywordOf =
      query.words === null ? () => undefined : yield* keywordsOf(project, query, query.words);
    // sqlite-vec computes three sums in float32 (the dot product and two lengths), so its error is several times that of one sum.
    const errorBound = 4 * scoreErrorBound(query.vector.length);
    const toScored = createScorer(query.vector);
    const order = new ExactOrder<Scored>([], query);
    for (const rows of matchingRows.compared(project, query)) {
      for (const { serial, content_revision, importance, distance } of rows) {
        const most = Math.min(1, Math.max(0, 1 - distance + errorBound));
        if (most < query.minSimilarity) continue;
        const keyword = keywordOf(content_revision);
        // What rounding may take away is more than the bound that the similarity has.
        if (relevanceOf(most, keyword) < (query.minRelevance ?? 0) - errorBound) continue;
        // Only the few rows that may be among the best so far need an exact score.
        if (finalScore(relevanceOf(most, keyword), importance) < order.floor) continue;
        const bytes = embedding.get(serial);
        if (bytes !== undefined)
          order.add(toScored({ serial, importance, vector: toVector(bytes) }, keyword));
      }
      yield;
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
