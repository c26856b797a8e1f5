// Owns all changes of cache files, for all projects, in one thread: wiping and removing; cache-drafts.ts writes and publishes. Must never leave a vector or a
// tag in a file whose memory was deleted before the request: a row is written only after the removals were read from the database, and each
// removal is followed by a request that wipes its row.

import type { Database } from "../../../platform/native/sqlite.ts";
import { type CacheDrafts, type CacheTools, createCacheTools, createDrafts } from "./cache-drafts.ts";
import { areCurrent } from "./cache-facts.ts";
import { blocksOf, type KnownProject } from "./known-projects.ts";
import { wipedRowsMax } from "./limits.ts";
import { wipeMemories, wipeOutdated } from "./outdated-rows.ts";
import { wipeUnusedTags } from "./outdated-tags.ts";
import { markUsed, sizeOfFiles } from "./project-files.ts";

interface CacheWriterOptions {
  readonly database: Database;
  /** The folder of all projects. */
  readonly folder: string;
  /** Of all cache files together. */
  readonly maxBytes: number;
}

export interface CacheUse {
  readonly bytes: number;
  readonly usedAt: number;
}

export interface CacheWriter extends CacheDrafts {
  /** Ids of the projects that may have cache files, the one that was used last first. */
  list(): readonly string[];
  /**
   * Compares the files with the database, and wipes or removes what is outdated. Call it for each project after the start, because a process
   * that was killed may not have done it, and after a failure. @returns null when there are no files then
   * @throws errors of the file system when files cannot be removed
   */
  check(project: string, isDurable: boolean): CacheUse | null;
  /** Wipes the rows of memories that were deleted. @throws as check */
  wipeDeleted(project: string): void;
  /** The project was searched: its files are kept longer, and read earlier after a start. */
  use(project: string, now: number): void;
}

export function createCacheWriter({ database, folder, maxBytes }: CacheWriterOptions): CacheWriter {
  const tools = createCacheTools(database, folder, maxBytes);
  const { find, list } = tools.projects;

  return {
    list,
    ...createChecks(tools),
    ...createDrafts(tools),

    use(id, now) {
      const project = find(id);
      if (project.files === null) return;
      project.usedAt = now;
      try {
        markUsed(project.files, now);
      } catch {
        // Somebody has removed the files.
      }
    },
  };
}

/** Compares the files with the database. */
function createChecks({
  facts,
  inTransaction,
  projects,
}: CacheTools): Pick<CacheWriter, "check" | "wipeDeleted"> {
  const { find, remove } = projects;

  /** Wipes what is outdated. @returns whether all that is left may be used */
  const isCurrent = (project: KnownProject, isDurable: boolean): boolean => {
    const { draft } = project;
    const outdated = inTransaction(() => facts.outdated(project));
    if (outdated === "foreign") return false;
    if (outdated === null) return true;
    const { removed, changes, memories, removedThrough } = outdated;
    const known = wipeOutdated(blocksOf(project), removed, changes, isDurable);
    if (project.files !== null)
      wipeUnusedTags(project.folder, isDurable, new Set(changes.map(({ serial }) => serial)));
    project.removedThrough = Math.max(project.removedThrough, removedThrough);
    // Otherwise a removal is no longer stored, for example because another version ran in between.
    return draft !== null || known === memories;
  };

  return {
    check(id, isDurable) {
      const project = find(id);
      if (project.files === null && project.draft === null) return null;
      try {
        if (!isCurrent(project, isDurable)) remove(project);
      } catch {
        remove(project);
      }
      const { files, usedAt } = find(id);
      return files === null ? null : { bytes: sizeOfFiles(files), usedAt };
    },

    wipeDeleted(id) {
      const project = find(id);
      const epochs = project.files?.manifest.epochs ?? project.draft?.epochs;
      if (epochs === undefined) return;
      try {
        const removals = inTransaction(() => {
          const found = facts.project(id);
          if (found === null || !areCurrent(epochs, facts.epochs(found.serial))) return null;
          return facts.removals(found.serial, project.removedThrough);
        });
        if (removals === null || removals.length > wipedRowsMax) return remove(project);
        const serials = new Set(removals.map(({ memory }) => memory));
        const hadTags = wipeMemories(blocksOf(project), serials, false);
        if (hadTags && project.files !== null) wipeUnusedTags(project.folder, false);
        project.removedThrough = removals.at(-1)?.revision ?? project.removedThrough;
      } catch {
        remove(project);
      }
    },
  };
}
