// Owns what the database says about cache files: whether they belong to it, and which memories they must not contain any more. Must be asked
// in a read transaction, so that the answers fit each other.

import type { Database } from "../../../platform/native/sqlite.ts";
import { aliveJoin } from "../memories/memory-row.ts";
import { createModelLookup } from "../schema/model-binding.ts";
import type { CachedHead, CacheManifest } from "./manifest.ts";

export interface CachedProject {
  readonly serial: number;
  /** The newest revision of its memories. */
  readonly revision: number;
}

export interface Removal {
  readonly memory: number;
  readonly revision: number;
}

export interface ChangedContent {
  readonly serial: number;
  readonly content_revision: number;
}

/** Files of a project, and what is being written. */
interface CachedState {
  readonly id: string;
  readonly files: { readonly manifest: CacheManifest } | null;
  readonly draft: { readonly revision: number } | null;
}

export interface Outdated {
  readonly removed: ReadonlySet<number>;
  readonly changes: readonly ChangedContent[];
  readonly memories: number;
  readonly removedThrough: number;
}

/** Prepared once per connection. */
export interface CacheFacts {
  /** Null: there is no such project, or it was deleted. */
  project(id: string): CachedProject | null;
  /** Null: the project has no record, so no memory either. */
  newestHead(project: number): CachedHead | null;
  epochs(project: number): Readonly<Record<string, number>>;
  /** Why the files cannot be used with this database, as a clause; null: they belong to it, and to a state that it had. */
  mismatch(manifest: CacheManifest, project: CachedProject): string | null;
  /** In their order. */
  removals(project: number, afterRevision: number): readonly Removal[];
  /** Of memories that were created or changed. */
  changes(project: number, afterRevision: number): readonly ChangedContent[];
  /** Null: everything in the files is current. */
  outdated(cached: CachedState): Outdated | "foreign" | null;
}

export function createCacheFacts(database: Database): CacheFacts {
  const project = database.prepare<[string], CachedProject>(
    "SELECT serial, revision FROM project WHERE id = ? AND deleted_at IS NULL",
  );
  const newestHead = database.prepare<[number], CachedHead>(
    `SELECT c.id AS chain, e.seq, e.hash FROM audit_chain c JOIN audit_entry e ON e.chain = c.number
     WHERE c.project = ? ORDER BY e.seq DESC LIMIT 1`,
  );
  const hashOf = database
    .prepare<[number, string, number], string>(
      `SELECT e.hash FROM audit_chain c JOIN audit_entry e ON e.chain = c.number
       WHERE c.project = ? AND c.id = ? AND e.seq = ?`,
    )
    .pluck();
  const epochs = database.prepare<[number], { memory_type: string; epoch: number }>(
    "SELECT memory_type, epoch FROM pool WHERE project = ?",
  );
  const removals = database.prepare<[number, number], Removal>(
    "SELECT memory, revision FROM memory_removal WHERE project = ? AND revision > ? ORDER BY revision",
  );
  const changes = database.prepare<[number, number], ChangedContent>(
    `SELECT m.serial, m.content_revision FROM memory m ${aliveJoin} WHERE m.project = ? AND m.revision > ?`,
  );
  const count = database
    .prepare<[number], number>("SELECT TOTAL(memories) FROM pool WHERE project = ?")
    .pluck();
  const bound = createModelLookup(database);
  const epochsOf = (serial: number) =>
    Object.fromEntries(epochs.all(serial).map(({ memory_type, epoch }) => [memory_type, epoch]));
  const facts: Omit<CacheFacts, "outdated"> = {
    project: (id) => project.get(id) ?? null,
    newestHead: (serial) => newestHead.get(serial) ?? null,
    epochs: epochsOf,
    mismatch({ model, dimensions, head, newestRevision, epochs }, { serial, revision }) {
      const current = bound();
      if (current?.sha256 !== model || current.dimensions !== dimensions) return "they are of another model";
      // Revisions are used again after a restore of an older backup, hashes of records never are.
      if (hashOf.get(serial, head.chain, head.seq) !== head.hash) return "they are of another database";
      if (newestRevision > revision) return "they are newer than the database";
      return areCurrent(epochs, epochsOf(serial)) ? null : "all memories of a kind were deleted";
    },
    removals: (serial, after) => removals.all(serial, after),
    changes: (serial, after) => changes.all(serial, after),
  };
  return {
    ...facts,
    outdated({ id, files, draft }) {
      const found = facts.project(id);
      if (found === null) return "foreign";
      if (files !== null && facts.mismatch(files.manifest, found) !== null) return "foreign";
      const since = Math.min(files?.manifest.revision ?? Infinity, draft?.revision ?? Infinity);
      if (since === found.revision) return null;
      const removed = facts.removals(found.serial, since);
      return {
        removed: new Set(removed.map(({ memory }) => memory)),
        changes: facts.changes(found.serial, since),
        memories: count.get(found.serial) ?? 0,
        removedThrough: removed.at(-1)?.revision ?? 0,
      };
    },
  };
}

/**
 * Whether files with these epochs contain no memory that a bulk delete has hidden. They had no memory of a kind that they do not name: an
 * older version has written them.
 */
export function areCurrent(
  epochs: Readonly<Record<string, number>>,
  current: Readonly<Record<string, number>>,
): boolean {
  return Object.entries(epochs).every(([kind, epoch]) => current[kind] === epoch);
}
