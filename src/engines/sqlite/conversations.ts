// Owns the SQL of conversations: those that origins of memories name (tables that triggers write), and their pseudonyms.

import { memoriesOf } from "../../audit/parts/made-of.ts";
import type {
  ConversationContents,
  ConversationPage,
  ConversationReader,
  ConversationSummary,
  ConversationTransaction,
  PageQuery,
} from "../../calls/storage/conversation-store.ts";
import { wordsInRow } from "../../memory/extraction/content-similarity.ts";
import type { Memory } from "../../memory/memory.ts";
import { type Conversation, type Owner, ownerId } from "../../memory/owner.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import { createRecordsAbout } from "./ledger/records-about.ts";
import { createListCursors } from "./memories/list-cursor.ts";
import { type MemoryRow, memoryColumns, toMemory } from "./memories/memory-row.ts";
import { createRowRemoval } from "./memories/row-removal.ts";
import { ownerSerialsOf, serialsOf } from "./project-serials.ts";
import type { WriterState } from "./threads/writer-state.ts";

/** Whether a bulk delete has not hidden the memory of a row `r` of the conversation `c`. */
const isAlive =
  "r.epoch = (SELECT epoch FROM pool WHERE pool.project = c.project AND pool.memory_type = r.memory_type)";
const ofConversation =
  "conversation c JOIN memory_conversation r ON r.conversation = c.serial WHERE c.project = :project AND c.name = :name";

const summary = `MIN(r.first_at) AS firstAt, MAX(r.last_at) AS lastAt, TOTAL(r.memory_type = 'passage') AS passages,
  TOTAL(r.memory_type <> 'passage') AS kept`;

/** The place of a row in its order. */
interface Place {
  readonly at: number;
  readonly serial: number;
}

const behindAll: Place = { at: Number.MAX_SAFE_INTEGER, serial: Number.MAX_SAFE_INTEGER };
const beforeAll: Place = { at: Number.MIN_SAFE_INTEGER, serial: 0 };
/** Lists of conversations have no total. */
const uncounted = { total: 0, before: 0 };

/** What the main thread looks up. */
export function createConversationLookup(database: Database): Pick<ConversationReader, "find" | "findById"> {
  const findId = createFinder(database);
  const named = database.prepare<
    [string, string],
    { name: string; subject: string | null; subject_name: string | null }
  >(
    `SELECT c.name, s.id AS subject, s.name AS subject_name FROM pseudonym c LEFT JOIN pseudonym s ON s.serial = c.owner
     WHERE c.id = ? AND c.kind = 'conversation' AND c.name IS NOT NULL AND c.project = (SELECT serial FROM project WHERE id = ?)`,
  );
  return {
    async find(owner, name) {
      const id = findId(owner, name);
      return id === undefined ? null : { id, name };
    },
    async findById(project, id) {
      const row = named.get(id, project.id);
      if (row === undefined) return null;
      const { name, subject, subject_name } = row;
      return {
        conversation: { id, name },
        subject: subject === null ? null : { id: subject, name: subject_name ?? "" },
      };
    },
  };
}

/** @returns a function that reads a page of the list; null: the cursor is not one of this list. */
export function createConversationList(
  database: Database,
): (owner: Owner, query: PageQuery) => ConversationPage | null {
  const serialOf = ownerSerialsOf(database);
  const cursors = createListCursors<Place>(database);
  const page = database.prepare<
    [Place & { project: number; limit: number }],
    ConversationSummary & { serial: number; at: number }
  >(
    `SELECT c.serial, c.at, c.name, ${summary} FROM (
       SELECT serial, project, name, last_at AS at FROM conversation c
       WHERE project = :project AND (last_at, serial) < (:at, :serial)
         AND EXISTS (SELECT 1 FROM memory_conversation r WHERE r.conversation = c.serial AND ${isAlive})
       ORDER BY last_at DESC, serial DESC LIMIT :limit
     ) c JOIN memory_conversation r ON r.conversation = c.serial AND ${isAlive}
     GROUP BY c.serial ORDER BY c.at DESC, c.serial DESC`,
  );
  return (owner, { cursor, limit }) => {
    const list = JSON.stringify(["conversations", ownerId(owner)]);
    const from = cursor === null ? behindAll : cursors.read(list, cursor);
    if (from === null) return null;
    const { at, serial } = from;
    const rows = page.all({ project: serialOf(owner), at, serial, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      conversations: shown.map(({ serial: _, at: __, ...conversation }) => conversation),
      next:
        last === undefined ? null : cursors.write(list, { at: last.at, serial: last.serial, ...uncounted }),
    };
  };
}

/** @returns a function that reads a page of the passages of a conversation, as ConversationReader.read does */
export function createConversationContents(
  database: Database,
): (
  owner: Owner,
  name: string,
  query: PageQuery & { readonly keptMax: number },
) => ConversationContents | "absent" | null {
  const serialOf = ownerSerialsOf(database);
  const cursors = createListCursors<Place>(database);
  const describe = database.prepare<[{ project: number; name: string }], Omit<ConversationSummary, "name">>(
    `SELECT ${summary} FROM ${ofConversation} AND ${isAlive} HAVING COUNT(*) > 0`,
  );
  const memories = (kinds: string) =>
    database.prepare<
      [Place & { project: number; name: string; limit: number }],
      MemoryRow & { said_from: number }
    >(
      `SELECT ${memoryColumns}, r.first_at AS said_from FROM ${ofConversation.replace(" WHERE", " JOIN memory m ON m.serial = r.memory WHERE")}
         AND ${kinds} AND ${isAlive} AND (r.first_at, r.memory) > (:at, :serial)
       ORDER BY r.first_at, r.memory LIMIT :limit`,
    );
  const passages = memories("r.memory_type = 'passage'");
  const kept = memories("r.memory_type <> 'passage'");
  return database.transaction((owner: Owner, name: string, { cursor, limit, keptMax }) => {
    const project = serialOf(owner);
    const list = JSON.stringify(["conversation", ownerId(owner), name]);
    const from = cursor === null ? beforeAll : cursors.read(list, cursor);
    if (from === null) return null;
    const found = describe.get({ project, name });
    if (found === undefined) return "absent";
    const { at, serial } = from;
    const rows = passages.all({ project, name, at, serial, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      summary: { name, ...found },
      passages: shown.map(toMemory),
      next:
        last === undefined
          ? null
          : cursors.write(list, { at: last.said_from, serial: last.serial, ...uncounted }),
      kept: kept.all({ project, name, ...beforeAll, limit: keptMax }).map(toMemory),
    };
  });
}

export function createConversationTransaction(
  database: Database,
  state: WriterState,
): ConversationTransaction {
  const serialOf = serialsOf(database);
  const ownerOf = ownerSerialsOf(database);
  const findId = createFinder(database);
  const madeOf = createMade(database);
  const { held } = createRecordsAbout(database);
  const exists = database.prepare<[string], number>("SELECT 1 FROM pseudonym WHERE id = ?").pluck();
  const insert = database.prepare(
    `INSERT INTO pseudonym (id, project, kind, name, owner)
     VALUES (?, ?, 'conversation', ?, (SELECT serial FROM pseudonym WHERE id = ?))`,
  );
  const hidden = database
    .prepare<[{ project: number; name: string }], number>(
      `SELECT r.memory FROM ${ofConversation} AND NOT ${isAlive}`,
    )
    .pluck();
  const removeRows = createRowRemoval(database, state);
  const removeName = database.prepare("UPDATE pseudonym SET name = NULL WHERE id = ?");
  return {
    async open(owner, { id, name }) {
      const known = findId(owner, name);
      if (known !== undefined) return known === id;
      if (exists.get(id) !== undefined) return false;
      insert.run(id, serialOf(owner.project), name, owner.subject);
      return true;
    },
    madeOf: async (owner, conversation) => madeOf(owner, conversation),
    held: async ({ id }) => held(id),
    async forget(owner, { id, name }) {
      removeRows(hidden.all({ project: ownerOf(owner), name }));
      removeName.run(id);
    },
  };
}

function createFinder(database: Database): (owner: Owner, name: string) => string | undefined {
  const serialOf = serialsOf(database);
  const find = database
    .prepare<[number, string | null, string], string>(
      `SELECT id FROM pseudonym WHERE project = ? AND kind = 'conversation'
         AND COALESCE(owner, 0) = COALESCE((SELECT serial FROM pseudonym WHERE id = ?), 0) AND name = ?`,
    )
    .pluck();
  const subject = database.prepare<[string], number>("SELECT 1 FROM pseudonym WHERE id = ?").pluck();
  return (owner, name) =>
    owner.subject !== null && subject.get(owner.subject) === undefined
      ? undefined
      : find.get(serialOf(owner.project), owner.subject, name);
}

/** @returns ConversationTransaction.madeOf */
export function createMade(database: Database): (owner: Owner, conversation: Conversation) => Memory[] {
  const serialOf = ownerSerialsOf(database);
  const { naming } = createRecordsAbout(database);
  const said = database.prepare<[{ project: number; name: string }], MemoryRow>(
    `SELECT ${memoryColumns} FROM ${ofConversation.replace(" WHERE", " JOIN memory m ON m.serial = r.memory WHERE")} AND ${isAlive}
     ORDER BY r.memory`,
  );
  // What a person has rewritten has no origin any more.
  const withoutOrigin = database.prepare<
    [Record<"ids" | "updated" | "records", string> & { project: number }],
    MemoryRow
  >(
    `SELECT ${memoryColumns} FROM json_each(:ids) i JOIN memory m ON m.id = i.value
     WHERE m.project = :project AND m.origins IS NULL
       AND (m.made_of ->> 'record' IN (SELECT value FROM json_each(:records)) OR m.id IN (SELECT value FROM json_each(:updated)))
       AND m.epoch = (SELECT epoch FROM pool WHERE pool.project = m.project AND pool.memory_type = m.memory_type)
     ORDER BY m.serial`,
  );
  return (owner, { id, name }) => {
    const project = serialOf(owner);
    const records = naming(id);
    const find = (made: readonly string[], updated: readonly string[]) =>
      withoutOrigin
        .all({
          project,
          ids: JSON.stringify([...new Set([...made, ...updated])]),
          updated: JSON.stringify(updated),
          records: JSON.stringify(records.map((record) => record.id)),
        })
        .map(toMemory);
    const touched = records.flatMap(({ stored }) => (stored === null ? [] : [memoriesOf(stored)]));
    const made = touched.flatMap((each) => each.made);
    const updated = touched.flatMap((each) => each.updated);
    const memories = [...said.all({ project, name }).map(toMemory), ...find(made, updated)];
    return withMerged(memories, name, (newer) => find([], [newer])[0]);
  };
}

/** And the memories that others were merged into: they have no origin either, and repeat the words. */
function withMerged(
  memories: readonly Memory[],
  name: string,
  find: (id: string) => Memory | undefined,
): Memory[] {
  const all = new Map(memories.map((memory) => [memory.id, memory]));
  // It also passes over those that are added meanwhile.
  for (const { supersededBy, origins, content } of all.values()) {
    const isSaidElsewhere = origins.some(({ conversation }) => conversation !== name);
    if (supersededBy === null || all.has(supersededBy) || isSaidElsewhere) continue;
    const newer = find(supersededBy);
    if (newer !== undefined && wordsInRow(newer.content).includes(wordsInRow(content)))
      all.set(newer.id, newer);
  }
  return [...all.values()];
}
