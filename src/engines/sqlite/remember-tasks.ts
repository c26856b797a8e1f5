// Owns the SQL of the answers that are still to be remembered. Their texts are in the ledger: a trigger of the schema removes the task with
// its texts.

import type { QueueChange, RememberQueue, RememberTransaction } from "../../calls/storage/remember-store.ts";
import type { RememberTask } from "../../memory/remembering/task.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import { serialsOf } from "./project-serials.ts";

interface TaskRow {
  record: string;
  project: string;
  key: string;
  action: string;
  /** JSON; null: none. */
  tags: string | null;
  part: number;
  attempts: number;
  created_at: number;
  /** Null: the call was for the project itself. */
  subject: string | null;
  subject_name: string | null;
  /** As `subject`. */
  conversation: string | null;
  conversation_name: string | null;
}

export function createRememberReader(database: Database): {
  [Name in "count" | "nextAfter"]: (
    ...values: Parameters<RememberQueue[Name]>
  ) => Awaited<ReturnType<RememberQueue[Name]>>;
} {
  const serialOf = serialsOf(database);
  const count = database
    .prepare<[number], number>("SELECT COUNT(*) FROM remember_task WHERE project = ?")
    .pluck();
  const next = database.prepare<[number], TaskRow>(
    `SELECT t.record, p.id AS project, t.key, e.action, t.tags, t.part, t.attempts, t.created_at,
       t.subject, s.name AS subject_name, c.id AS conversation, c.name AS conversation_name
     FROM remember_task t LEFT JOIN pseudonym s ON s.id = t.subject JOIN project p ON p.serial = t.project JOIN audit_entry e ON e.id = t.record
       LEFT JOIN pseudonym c ON c.id = e.entry ->> '$.conversation'
     WHERE t.project > ? ORDER BY t.project, t.attempts, t.record LIMIT 1`,
  );
  return {
    count: ({ id }) => count.get(serialOf(id)) ?? 0,
    nextAfter(project) {
      const row = next.get(project === null ? 0 : serialOf(project));
      return row === undefined ? null : toTask(row);
    },
  };
}

export function createRememberTransaction(database: Database): RememberTransaction {
  const serialOf = serialsOf(database);
  const insert = database.prepare(
    `INSERT INTO remember_task (record, project, key, subject, tags, part, attempts, created_at)
     VALUES (:record, :project, :keyId, :subject, :tags, 0, 0, :createdAt)`,
  );
  const find = database.prepare<[string, number], unknown>(
    "SELECT 1 FROM remember_task WHERE record = ? AND part = ?",
  );
  const advance = database.prepare("UPDATE remember_task SET part = part + 1, attempts = 0 WHERE record = ?");
  const remove = database.prepare("DELETE FROM remember_task WHERE record = ?");
  const removeAll = database.prepare("DELETE FROM remember_task WHERE project = ?");
  return {
    async add({ record, project, keyId, subject, tags, createdAt }) {
      const tagsText = tags.length === 0 ? null : JSON.stringify(tags);
      insert.run({ record, project: serialOf(project), keyId, subject, tags: tagsText, createdAt });
    },
    isDue: async ({ record, part }) => find.get(record, part) !== undefined,
    async settle({ record }, remainder) {
      if (remainder === "next part") advance.run(record);
      if (remainder === "nothing") remove.run(record);
    },
    async removeAll({ id }) {
      removeAll.run(serialOf(id));
    },
  };
}

/** @returns a function that changes the queue in a transaction of its own, and says whether it has changed a task. */
export function createRememberLog(database: Database): (change: QueueChange) => boolean {
  const begin = database.prepare(
    "UPDATE remember_task SET attempts = attempts + 1 WHERE record = :record AND part = :part",
  );
  const remove = database.prepare("DELETE FROM remember_task WHERE record = ?");
  return (change) => {
    if ("remove" in change) return remove.run(change.remove).changes > 0;
    const { record, part } = change.begin;
    return begin.run({ record, part }).changes > 0;
  };
}

function toTask({ key, tags, created_at, ...row }: TaskRow): RememberTask {
  const { record, project, action, part, attempts } = row;
  return {
    ...{ record, project, action, part, attempts },
    subject: toNamed(row.subject, row.subject_name),
    conversation: toNamed(row.conversation, row.conversation_name),
    keyId: key,
    tags: tags === null ? [] : (JSON.parse(tags) as readonly string[]),
    createdAt: created_at,
  };
}

function toNamed(id: string | null, name: string | null): RememberTask["subject"] {
  return id === null ? null : { id, name: name ?? "" };
}
