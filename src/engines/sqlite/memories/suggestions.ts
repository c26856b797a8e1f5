// Owns the SQL of suggestions. A trigger removes those whose memories are deleted.

import type {
  LinkedMemories,
  SuggestionReader,
  SuggestionTransaction,
} from "../../../calls/storage/suggestion-store.ts";
import type { Owner } from "../../../memory/owner.ts";
import type {
  ConcernedMemory,
  Suggestion,
  SuggestionKind,
  SuggestionSource,
} from "../../../memory/suggestions/suggestion.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ownerSerialsOf, ownersOfProject } from "../project-serials.ts";
import type { WriterState } from "../threads/writer-state.ts";

interface SuggestionRow {
  id: string;
  kind: SuggestionKind;
  source: SuggestionSource;
  key: string;
  record: string;
  /** Details as JSON. */
  details: string;
  created_at: number;
}

interface Details {
  readonly fields: JsonObject | null;
  readonly reason: string | null;
  readonly quotes: readonly string[];
}

const columns = "s.id, s.kind, s.source, s.key, s.record, s.details, s.created_at";

/** What a bulk delete has hidden is deleted later, and its suggestions with it. */
const isAlive = `NOT EXISTS (SELECT 1 FROM suggestion_memory c JOIN memory m ON m.serial = c.memory
  JOIN pool p ON p.project = m.project AND p.memory_type = m.memory_type
  WHERE c.suggestion = s.id AND p.epoch <> m.epoch)`;

const isOfMemory =
  "s.id IN (SELECT c.suggestion FROM suggestion_memory c JOIN memory m ON m.serial = c.memory WHERE m.id = :memory)";

function createConversion(database: Database): (row: SuggestionRow) => Suggestion {
  const concerned = database.prepare<[string], ConcernedMemory>(
    `SELECT m.id, c.updated_at AS updatedAt FROM suggestion_memory c JOIN memory m ON m.serial = c.memory
     WHERE c.suggestion = ? ORDER BY c.place`,
  );
  return ({ id, kind, source, key, record, details, created_at: createdAt }) => {
    const { fields, reason, quotes } = JSON.parse(details) as Details;
    const memories = concerned.all(id);
    return { id, kind, source, memories, fields, reason, quotes, record, key, createdAt };
  };
}

function createFind(database: Database): (owner: Owner, id: string) => Suggestion | null {
  const serialOf = ownerSerialsOf(database);
  const toSuggestion = createConversion(database);
  const find = database.prepare<[string, number], SuggestionRow>(
    `SELECT ${columns} FROM suggestion s WHERE s.id = ? AND s.project = ? AND ${isAlive}`,
  );
  return (owner, id) => {
    const row = find.get(id, serialOf(owner));
    return row === undefined ? null : toSuggestion(row);
  };
}

export function createSuggestionReader(database: Database): SuggestionReader {
  const serialOf = ownerSerialsOf(database);
  const toSuggestion = createConversion(database);
  const find = createFind(database);
  const list = database.prepare<[Record<string, unknown>], SuggestionRow>(
    `SELECT ${columns} FROM suggestion s
     WHERE s.project = :project AND (:after IS NULL OR s.id < :after) AND (:kind IS NULL OR s.kind = :kind)
       AND (:memory IS NULL OR ${isOfMemory}) AND ${isAlive}
     ORDER BY s.id DESC LIMIT :limit`,
  );
  const links = database
    .prepare<[Record<string, unknown>], LinkedMemories>(
      `SELECT m.id, n.id FROM memory m JOIN suggestion_memory a ON a.memory = m.serial
       JOIN suggestion_memory b ON b.suggestion = a.suggestion AND b.place > a.place
       JOIN memory n ON n.serial = b.memory JOIN suggestion s ON s.id = a.suggestion
       WHERE m.id IN (SELECT value FROM json_each(:memories)) AND n.id IN (SELECT value FROM json_each(:memories))
         AND s.project IN (:own, :project) AND s.kind IN ('contradiction', 'changed_value', 'replace')`,
    )
    .raw();
  return {
    find: async (owner, id) => find(owner, id),
    async list(owner, query) {
      return list.all({ ...query, project: serialOf(owner) }).map(toSuggestion);
    },
    async linksBetween(owner, memories) {
      const project = serialOf({ project: owner.project, subject: null });
      return links.all({ memories: JSON.stringify(memories), own: serialOf(owner), project });
    },
  };
}

export function createSuggestionTransaction(
  database: Database,
  { createId }: Pick<WriterState, "createId">,
): SuggestionTransaction {
  const serialOf = ownerSerialsOf(database);
  const toSuggestion = createConversion(database);
  const find = createFind(database);
  const about = database.prepare<[Record<string, unknown>], SuggestionRow>(
    `SELECT ${columns} FROM suggestion s WHERE s.project = :project AND ${isOfMemory} AND ${isAlive}`,
  );
  const count = database
    .prepare<[{ project: number; proposed: number; key: string | null }], number>(
      `SELECT COUNT(*) FROM suggestion
       WHERE project = :project AND (source = 'key') = :proposed AND (:key IS NULL OR key = :key)`,
    )
    .pluck();
  const insert = database.prepare(
    `INSERT INTO suggestion (id, project, kind, source, key, record, details, created_at)
     VALUES (:id, :project, :kind, :source, :key, :record, :details, :now)`,
  );
  const insertMemory = database.prepare(
    `INSERT INTO suggestion_memory (suggestion, place, memory, updated_at)
     VALUES (:id, :place, (SELECT serial FROM memory WHERE id = :memory AND project = :project), :updatedAt)`,
  );
  const remove = database.prepare("DELETE FROM suggestion WHERE id = ? AND project = ?");
  const removeOldest = database.prepare(
    `DELETE FROM suggestion WHERE id IN
       (SELECT id FROM suggestion WHERE project = ? AND source <> 'key' ORDER BY id LIMIT ?)`,
  );
  const ofProject = database.prepare<[string], SuggestionRow>(
    `SELECT ${columns} FROM suggestion s WHERE s.project IN (${ownersOfProject}) ORDER BY s.id`,
  );
  const ofOwner = database.prepare<[number], SuggestionRow>(
    `SELECT ${columns} FROM suggestion s WHERE s.project = ? ORDER BY s.id`,
  );
  const removeById = database.prepare("DELETE FROM suggestion WHERE id = ?");
  const removeOfRecord = database.prepare("DELETE FROM suggestion WHERE record = ?");
  const removeAll = database.prepare(`DELETE FROM suggestion WHERE project IN (${ownersOfProject})`);
  return {
    find: async (owner, id) => find(owner, id),
    about: async (owner, memory) => about.all({ memory, project: serialOf(owner) }).map(toSuggestion),
    count: async (owner, which, key) =>
      count.get({ project: serialOf(owner), proposed: Number(which === "proposed"), key }) ?? 0,
    async insert(owner, suggestion, now) {
      const id = createId(now);
      const { kind, source, key, record, fields, reason, quotes, memories } = suggestion;
      const project = serialOf(owner);
      const details: Details = { fields, reason, quotes };
      insert.run({ id, project, kind, source, key, record, details: JSON.stringify(details), now });
      for (const [place, { id: memory, updatedAt }] of memories.entries())
        insertMemory.run({ id, place, memory, project, updatedAt });
      return { ...suggestion, id, createdAt: now };
    },
    remove: async (owner, id) => remove.run(id, serialOf(owner)).changes > 0,
    async removeOldestFound(owner, wanted) {
      if (wanted > 0) removeOldest.run(serialOf(owner), wanted);
    },
    listOf: async (owner) => ofOwner.all(serialOf(owner)).map(toSuggestion),
    listAll: async ({ id }) => ofProject.all(id).map(toSuggestion),
    removeById: async (id) => removeById.run(id).changes,
    removeOfRecord: async (record) => removeOfRecord.run(record).changes,
    async removeAll(project) {
      removeAll.run(project.id);
    },
  };
}
