// The memories of the test engine: every read looks at all of them.

import type { Project } from "../../../src/access/project.ts";
import { findSimilarItems, nearestOf } from "../../../src/calls/operations/search/similar-items.ts";
import type {
  MemoryReader,
  MemoryTransaction,
  SearchHit,
  SearchQuery,
} from "../../../src/calls/storage/memory-store.ts";
import type { TagPage, TagQuery } from "../../../src/memory/counts.ts";
import { type Kind, kindOf, kindsOf, originOf } from "../../../src/memory/kind.ts";
import { isExpired, keepsContent, type Memory } from "../../../src/memory/memory.ts";
import { type Owner, ownerId } from "../../../src/memory/owner.ts";
import { nearWordsMax, nearWordsOfQueryMax } from "../../../src/memory/ranking/limits.ts";
import { canBeMistyped, Vocabulary } from "../../../src/memory/ranking/near-words.ts";
import { priority, recencyOf } from "../../../src/memory/ranking/priority.ts";
import { relevanceFloor, spreadOf } from "../../../src/memory/ranking/relevance-floor.ts";
import { cosine, finalScore, isUnitVector, relevanceOf } from "../../../src/memory/ranking/scores.ts";
import { queryWords, splitWords } from "../../../src/memory/ranking/words.ts";
import type { ExportPage, ExportQuery } from "../../../src/memory/search/export-query.ts";
import type { ListQuery, MemoryPage } from "../../../src/memory/search/list-query.ts";
import { type MetadataFilter, matchesMetadata } from "../../../src/memory/search/metadata-filter.ts";
import type { WordFilter } from "../../../src/memory/search/word-filter.ts";
import { matchesTags, type TagFilter } from "../../../src/memory/tags.ts";
import { defaults } from "../../../src/memory/values.ts";
import { cancelled } from "../../../src/platform/scheduling/cancellation.ts";
import { compareLabels } from "../../../src/platform/text/label.ts";
import type { Data, MemoryRow } from "./data.ts";
import { keywordScores } from "./keyword-scores.ts";

export function createMemoryReader(data: Data): MemoryReader {
  const rowsOf = (owner: Owner, withProject = false) =>
    data.memories
      .all()
      .filter(({ project }) => project === ownerId(owner) || (withProject && project === owner.project));
  const read = <Result>(signal: AbortSignal, work: () => Result): Promise<Result> =>
    data.inTurn(() => {
      if (signal.aborted) throw cancelled();
      return work();
    });
  return {
    find: (owner, id) =>
      data.inTurn(() => {
        const row = rowsOf(owner).find(({ memory }) => memory.id === id);
        return row === undefined ? null : { memory: row.memory, revision: row.revision };
      }),
    findHeld: (owner, items, now) =>
      data.inTurn(() => {
        const rows = rowsOf(owner);
        return items.map(({ id, contentKey }) =>
          rows.some(
            (row) =>
              row.memory.id === id ||
              (row.contentKey === Buffer.from(contentKey).toString("hex") && !isExpired(row.memory, now)),
          ),
        );
      }),
    list: (owner, query, signal) => read(signal, () => list(rowsOf(owner, query.withProject), query)),
    exportPage: (owner, query, signal) =>
      read(signal, () => exportPage(data, rowsOf(owner, query.withProject), query)),
    listTags: (owner, query, signal) => read(signal, () => listTags(owner, rowsOf(owner), query)),
    expectSearch: () => ({ [Symbol.dispose]() {} }),
    statistics: (owner, now, signal) =>
      read(signal, () => {
        const memories = rowsOf(owner).map(({ memory }) => memory);
        const count = (matches: (memory: Memory) => boolean) => memories.filter(matches).length;
        const ofType = (type: Memory["type"]) => count((memory) => memory.type === type);
        return {
          byType: { rule: ofType("rule"), fact: ofType("fact"), context: ofType("context") },
          passages: count(({ passage }) => passage),
          searchable: count((memory) => memory.active && !isExpired(memory, now)),
          inactive: count(({ active }) => !active),
          expired: count((memory) => isExpired(memory, now)),
          contentBytes: memories.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0),
          isEstimate: false,
          changedAt: memories.length === 0 ? null : Math.max(...memories.map(({ updatedAt }) => updatedAt)),
        };
      }),
    search: (owner, query, signal) => read(signal, () => search(rowsOf(owner, query.withProject), query)),
    readForInjection: (owner, query, signal) =>
      read(signal, () => {
        const rows = rowsOf(owner, query.withProject);
        const { prompt, now } = query;
        const rules = rulesOf(rows, now);
        if (prompt === null) return { rules, hits: search(rows, query), floor: 0 };
        const vectors = rows
          .filter(({ memory }) => memory.type !== "rule" && memory.active && !isExpired(memory, now))
          .map(({ vector }) => vector);
        const floor = relevanceFloor(spreadOf(prompt.unrelated, vectors), rows.length, prompt.need);
        return { rules, hits: search(rows, { ...query, minRelevance: floor }), floor };
      }),
    readTopMemories: (owner, { types, origin, tags, metadata, topK, withProject, now }, signal) =>
      read(signal, () => {
        const rows = rowsOf(owner, withProject);
        const scoreOf = ({ importance, updatedAt }: Memory) =>
          priority(importance, recencyOf(updatedAt, now));
        const memories = visible(rows, now)
          .filter(isOfKinds(kindsOf(types, origin)))
          .filter((memory) => isSelected(memory, { tags, metadata }))
          .sort((a, b) => scoreOf(b) - scoreOf(a) || newestFirst(a, b));
        return { rules: rulesOf(rows, now), memories: memories.slice(0, topK) };
      }),
    findSimilar: (owner, query, signal) =>
      read(signal, () => {
        const rows = rowsOf(owner).filter(
          ({ memory }) => !memory.passage && memory.active && !isExpired(memory, query.now),
        );
        const dimensions = data.settings.get("all")?.model?.dimensions ?? 0;
        return {
          revision: Math.max(0, ...rowsOf(owner).map(({ revision }) => revision)),
          similarItems: findSimilarItems(query, dimensions),
          found: query.vectors.map((vector) => {
            const ranked = rows
              .map(({ memory, vector: other }) => ({ memory, similarity: cosine(vector, other) }))
              .filter(({ similarity }) => similarity > query.above)
              .sort((a, b) => b.similarity - a.similarity || newestFirst(a.memory, b.memory));
            return nearestOf(ranked, query.tags);
          }),
        };
      }),
  };
}

/** Ids grow with creation, except those that are derived from a source id. */
function newestFirst(a: Pick<Memory, "id" | "createdAt">, b: Pick<Memory, "id" | "createdAt">): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}

interface Selection {
  readonly tags: TagFilter | null;
  readonly metadata?: MetadataFilter | null | undefined;
}

function isSelected(memory: Memory, { tags, metadata }: Selection): boolean {
  return matchesTags(memory.tags, tags) && matchesMetadata(memory.metadata, metadata);
}

/** Null: all. */
function isOfKinds(kinds: readonly Kind[] | null): (memory: Memory) => boolean {
  return (memory) => kinds === null || kinds.includes(kindOf(memory));
}

function visible(rows: readonly MemoryRow[], now: number): Memory[] {
  return rows.map(({ memory }) => memory).filter((memory) => memory.active && !isExpired(memory, now));
}

function rulesOf(rows: readonly MemoryRow[], now: number): Memory[] {
  const rules = visible(rows, now).filter(({ type }) => type === "rule");
  return rules.sort((a, b) => b.importance - a.importance || newestFirst(b, a));
}

/** The cursor has the last row of the page before, as it was. */
function list(rows: readonly MemoryRow[], query: ListQuery): MemoryPage | null {
  const { conversation = null } = query;
  const { type, origin, tags, metadata, active, expired, words, now, sortBy, direction, limit, after } =
    query;
  const kinds = kindsOf(type, origin);
  const name = JSON.stringify([
    kinds,
    tags,
    metadata ?? null,
    active,
    expired,
    words,
    conversation,
    sortBy,
    direction,
  ]);
  const from = "cursor" in after ? readCursor<MemoryRow>(after.cursor) : null;
  if ("cursor" in after && from?.name !== name) return null;
  const found = rows.filter(
    ({ memory }) =>
      isOfKinds(kinds)(memory) &&
      isSelected(memory, { tags, metadata }) &&
      (conversation === null || memory.origins.some((each) => each.conversation === conversation)) &&
      (active === null || memory.active === active) &&
      (expired === null || isExpired(memory, now) === expired) &&
      (words === null || hasWords(memory, words)),
  );
  const sign = direction === "asc" ? 1 : -1;
  const byDate = (dateOf: (row: MemoryRow) => number | null) => (a: MemoryRow, b: MemoryRow) => {
    const [at, other] = [dateOf(a), dateOf(b)];
    if (at === other) return sign * (a.created - b.created);
    return at === null ? 1 : other === null ? -1 : sign * (at - other);
  };
  const compare: Record<ListQuery["sortBy"], (a: MemoryRow, b: MemoryRow) => number> = {
    created_at: (a, b) => sign * (a.created - b.created),
    updated_at: (a, b) => sign * (a.revision - b.revision),
    importance: (a, b) => sign * (a.memory.importance - b.memory.importance) || b.created - a.created,
    expires_at: byDate(({ memory }) => memory.expiresAt),
    last_accessed_at: byDate(({ memory }) => memory.lastAccessedAt),
  };
  const total = from?.total ?? found.length;
  const before = "skip" in after ? after.skip : (from?.before ?? 0);
  const ordered = found.sort(compare[sortBy]);
  const rest =
    from === null ? ordered.slice(before) : ordered.filter((row) => compare[sortBy](row, from.last) > 0);
  const page = rest.slice(0, limit);
  const last = rest.length > limit ? page.at(-1) : undefined;
  const next = { name, last, total, before: before + limit };
  return {
    memories: page.map(({ memory }) => memory),
    total,
    before,
    next: last === undefined ? null : Buffer.from(JSON.stringify(next)).toString("base64url"),
  };
}

interface ListCursor<Item> {
  readonly name: string;
  readonly last: Item;
  readonly total: number;
  readonly before: number;
}

function readCursor<Item>(cursor: string): ListCursor<Item> | null {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return null;
  }
}

/** Endings stay, so words have no other forms here. */
function searchedText({ lead, content }: Memory): string {
  return `${lead ?? ""}${content}`;
}

function hasWords(memory: Memory, { words, beginning }: WordFilter): boolean {
  const has = splitWords(searchedText(memory)).map(fold);
  return (
    words.every((word) => has.includes(fold(word))) && has.some((word) => word.startsWith(fold(beginning)))
  );
}

/** The cursor is the position in the order of creation, which a deletion leaves as it is. */
function exportPage(
  data: Data,
  rows: readonly MemoryRow[],
  { type, origin, tags, metadata, withVectors, cursor, limit }: ExportQuery,
): ExportPage | null {
  const kinds = kindsOf(type, origin);
  const list = JSON.stringify([kinds, tags?.tags ?? null, metadata ?? null]);
  const [, name = "", after = ""] = cursor === null ? ["", list, "0"] : (/^(.*) (\d+)$/.exec(cursor) ?? []);
  if (name !== list) return null;
  const found = rows
    .filter(({ memory }) => isOfKinds(kinds)(memory) && isSelected(memory, { tags, metadata }))
    .filter(({ created }) => created > Number(after))
    .sort((a, b) => a.created - b.created)
    .slice(0, limit);
  const last = found.length < limit ? undefined : found.at(-1);
  const model = data.settings.get("all")?.model;
  return {
    memories: found.map(({ memory }) => memory),
    vectors: withVectors && model ? { model, vectors: found.map(({ vector }) => vector) } : null,
    next: last === undefined ? null : `${list} ${last.created}`,
  };
}

function listTags(
  owner: Owner,
  rows: readonly MemoryRow[],
  { type, origin, limit, after }: TagQuery,
): TagPage | null {
  const name = JSON.stringify(["tags", ownerId(owner), type, origin]);
  const from = "cursor" in after ? readCursor<Counted>(after.cursor) : null;
  if ("cursor" in after && from?.name !== name) return null;
  const counts = new Map<string, number>();
  for (const { memory } of rows)
    if (isOfKinds(kindsOf(type, origin))(memory))
      for (const tag of memory.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const tags = [...counts].map(([tag, count]) => ({ tag, count }));
  const compare = (a: Counted, b: Counted) => b.count - a.count || compareLabels(a.tag, b.tag);
  const before = "skip" in after ? after.skip : (from?.before ?? 0);
  const ordered = tags.sort(compare);
  const rest = from === null ? ordered.slice(before) : ordered.filter((each) => compare(each, from.last) > 0);
  const page = rest.slice(0, limit);
  const last = rest.length > limit ? page.at(-1) : undefined;
  const total = from?.total ?? tags.length;
  const next = { name, last, total, before: before + limit };
  return {
    tags: page,
    total,
    before,
    next: last === undefined ? null : Buffer.from(JSON.stringify(next)).toString("base64url"),
  };
}
type Counted = TagPage["tags"][number];

/** Without accents; endings stay, so words have no other forms here. */
function fold(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ς", "σ");
}

function search(rows: readonly MemoryRow[], query: SearchQuery): SearchHit[] {
  const {
    types,
    origin,
    tags,
    metadata,
    words,
    includeInactive,
    includeExpired,
    now,
    minSimilarity,
    minRelevance = 0,
    topK,
  } = query;
  const searched = rows.filter(
    ({ memory }) =>
      isOfKinds(kindsOf(types, origin))(memory) &&
      isSelected(memory, { tags, metadata }) &&
      (includeInactive || memory.active) &&
      (includeExpired || !isExpired(memory, now)),
  );
  const keywords = words === null ? null : scoreWords(searched, words);
  const hits = searched.map(({ memory, vector }, row) => {
    const similarity = cosine(query.vector, vector);
    const keyword = keywords?.[row];
    const relevance = relevanceOf(similarity, keyword);
    return { memory, similarity, keyword: Math.min(1, keyword ?? 0), relevance };
  });
  const scoreOf = ({ relevance, memory }: SearchHit) => finalScore(relevance, memory.importance);
  return hits
    .filter(({ similarity, relevance }) => similarity >= minSimilarity && relevance >= minRelevance)
    .sort((a, b) => scoreOf(b) - scoreOf(a) || newestFirst(a.memory, b.memory))
    .slice(0, topK);
}

function scoreWords(searched: readonly MemoryRow[], words: string): Float64Array {
  const texts = searched.map(({ memory }) => splitWords(searchedText(memory)));
  const contents = texts.map((text) => new Set(text.map(fold)));
  const holdersOf = (anyOf: readonly string[]) =>
    contents.flatMap((content, row) => (anyOf.some((word) => content.has(fold(word))) ? [row] : []));
  const vocabulary = new Vocabulary();
  for (const text of texts) vocabulary.add(text);
  let corrected = 0;
  const holders = queryWords(words).map((word) => {
    const exact = holdersOf([word]);
    if (exact.length > 0 || !canBeMistyped(word) || corrected === nearWordsOfQueryMax) return exact;
    corrected += 1;
    return holdersOf(vocabulary.near(word).slice(0, nearWordsMax));
  });
  return keywordScores(holders, searched.length, searched.length);
}

export function createMemoryTransaction(data: Data): MemoryTransaction {
  const { memories, settings, createId } = data;
  const rowsOf = (owner: Owner) => memories.all().filter(({ project }) => project === ownerId(owner));
  const rowsOfProject = ({ id }: Pick<Project, "id">) =>
    memories.all().filter(({ project }) => project === id || data.subjects.get(project)?.project === id);
  const requireVector = (vector: Float32Array): Float32Array => {
    if (isUnitVector(vector, settings.get("all")?.model?.dimensions)) return vector;
    throw new Error(`${vector.length} numbers are not a unit vector of the model`);
  };
  const rowOf = (owner: Owner, id: string): MemoryRow | undefined => {
    const row = memories.get(id);
    return row?.project === ownerId(owner) ? row : undefined;
  };
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  return {
    find: async (owner, id) => rowOf(owner, id)?.memory ?? null,
    hasVersion: async (owner, id, revision) => rowOf(owner, id)?.revision === revision,
    changedSince: async (owner, revision) =>
      rowsOf(owner)
        .filter(({ memory, revision: changed }) => changed > revision && !memory.passage)
        .map(({ memory: { id }, vector }) => ({ id, vector })),
    async vectorOf(owner, id) {
      const row = rowOf(owner, id);
      if (row === undefined) throw new Error("the memory was not found in this transaction");
      return row.vector;
    },
    // Nothing reads it but the verification of a database.
    madeOf: async () => null,
    setMadeOf: async () => {},
    async ownerOf(id) {
      const owner = memories.get(id)?.project;
      if (owner === undefined) return null;
      const project = data.subjects.get(owner)?.project ?? owner;
      return { project, subject: owner === project ? null : owner };
    },
    count: async (project, origin) =>
      rowsOfProject(project).filter(({ memory }) => originOf(memory) === origin).length,
    async claimContent(owner, contentKey, now, claim = {}) {
      const holder = rowsOf(owner).find((row) => row.contentKey === hex(contentKey));
      if (holder === undefined || holder.memory.id === claim.exceptId) return null;
      if (keepsContent(holder.memory, now, claim)) return holder.memory.id;
      memories.set(holder.memory.id, { ...holder, contentKey: null });
      return null;
    },
    async insert(owner, { contentKey, vector, id, ...said }, now) {
      const times = { createdAt: now, updatedAt: now, lastAccessedAt: null };
      const subject = owner.subject === null ? null : (data.subjects.get(owner.subject)?.name ?? null);
      const memory: Memory = { ...defaults, ...said, id: id ?? createId(now), ...times, subject };
      const versioned = newContent(data);
      const row = {
        memory,
        project: ownerId(owner),
        contentKey: hex(contentKey),
        ...versioned,
        created: versioned.revision,
      };
      // Before it is checked, so that a broken vector leaves something to undo.
      memories.set(memory.id, { ...row, vector });
      requireVector(vector);
      return memory;
    },
    async update(owner, { memory, contentKey, vector }) {
      const before = rowOf(owner, memory.id);
      if (before === undefined) throw new Error("the memory was not found in this transaction");
      memories.set(memory.id, {
        ...before,
        memory,
        revision: data.next(),
        ...(memory.content === before.memory.content ? {} : { version: data.next(), nextVector: null }),
        contentKey: contentKey === null ? before.contentKey : hex(contentKey),
        vector: vector === null ? before.vector : requireVector(vector),
      });
    },
    async remove(owner, id) {
      if (rowOf(owner, id) === undefined) return false;
      memories.delete(id);
      return true;
    },
    async removeOldestPassages(project, count) {
      const passages = rowsOfProject(project).filter(({ memory }) => memory.passage);
      const oldest = passages.toSorted((a, b) => a.created - b.created).slice(0, count);
      for (const { memory } of oldest) memories.delete(memory.id);
    },
    async removeAll(owner, kinds) {
      const removed = rowsOf(owner).filter(({ memory }) => isOfKinds(kinds)(memory));
      for (const { memory } of removed) memories.delete(memory.id);
      return removed.length;
    },
    async removeAllOf(project) {
      const removed = rowsOfProject(project);
      for (const { memory } of removed) memories.delete(memory.id);
      return removed.length;
    },
    async removeSelected(owner, kinds, by) {
      const removed = rowsOf(owner).filter(
        ({ memory }) => isOfKinds(kinds)(memory) && isSelected(memory, by),
      );
      for (const { memory } of removed) memories.delete(memory.id);
      return removed.length;
    },
  };
}

/** The revision of a new row, and that of its content, which no change of the model has embedded yet. */
function newContent(data: Data): Pick<MemoryRow, "revision" | "version" | "nextVector"> {
  const revision = data.next();
  return { revision, version: revision, nextVector: null };
}
