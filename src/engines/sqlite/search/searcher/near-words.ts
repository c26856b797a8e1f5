// Owns the vocabularies of the projects that were searched most recently: the words of their memories' texts, for words of a query that
// no memory has. A vocabulary keeps words of deleted memories, so what it finds must be looked up in the project.

import { LRUCache } from "lru-cache";
import { Vocabulary } from "../../../../memory/ranking/near-words.ts";
import type { ReadNearWords } from "../../../../memory/ranking/query-keywords.ts";
import { splitWords } from "../../../../memory/ranking/words.ts";
import type { Database } from "../../../../platform/native/sqlite.ts";
import { aliveJoin, searchedText } from "../../memories/memory-row.ts";
import { vocabularyMemoriesMax, vocabularyTextsAtOnce, vocabularyWordsMax } from "../limits.ts";

interface ReadVocabulary {
  readonly words: Vocabulary;
  /** Changes through this revision were read. */
  through: number;
  /** Texts that were read, those of changed and deleted memories among them. */
  texts: number;
}

/** By the serial of a project. */
export type Vocabularies = LRUCache<number, ReadVocabulary>;

export function createVocabularies(): Vocabularies {
  return new LRUCache({ maxSize: vocabularyWordsMax, sizeCalculation: ({ words }) => words.size + 1 });
}

/** @returns nothing near in a project with more than `vocabularyMemoriesMax` memories */
export function createNearWords(
  database: Database,
  vocabularies: Vocabularies,
  memoryCount: (project: number) => number,
): (project: number) => ReadNearWords {
  const changed = database.prepare<[number, number, number], { revision: number; content: string }>(
    `SELECT m.revision, ${searchedText} AS content FROM memory m ${aliveJoin}
     WHERE m.project = ? AND m.revision > ? ORDER BY m.revision LIMIT ?`,
  );
  /** Without a vocabulary in which most words may be those of previous texts. */
  const vocabularyOf = (project: number, memories: number): ReadVocabulary => {
    const known = vocabularies.get(project);
    if (known !== undefined && known.texts <= 2 * memories + vocabularyTextsAtOnce) return known;
    return { words: new Vocabulary(), through: 0, texts: 0 };
  };
  return (project) => {
    let reading: ReadVocabulary | null = null;
    let isComplete = false;
    return (word) => {
      const memories = memoryCount(project);
      if (memories > vocabularyMemoriesMax) return [];
      reading ??= vocabularyOf(project, memories);
      if (isComplete) return reading.words.near(word);
      const rows = changed.all(project, reading.through, vocabularyTextsAtOnce);
      for (const { content } of rows) reading.words.add(splitWords(content));
      reading.through = rows.at(-1)?.revision ?? reading.through;
      reading.texts += rows.length;
      vocabularies.set(project, reading);
      isComplete = rows.length < vocabularyTextsAtOnce;
      return isComplete ? reading.words.near(word) : null;
    };
  };
}
