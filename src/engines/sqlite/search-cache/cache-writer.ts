// Owns all changes of cache files, for all projects, in one thread: writing, publishing, wiping and removing. Must never leave a vector or a
// tag in a file whose memory was deleted before the request: a row is written only after the removals were read from the database, and each
// removal is followed by a request that wipes its row.

import { viewRowBlock } from "../../../memory/ranking/scan/row-block.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { blockFileBytes } from "./block-file.ts";
import { areCurrent, createCacheFacts } from "./cache-facts.ts";
import { hasRoom } from "./disk-room.ts";
import {
  blocksOf,
  type CacheDraft,
  createKnownProjects,
  type KnownProject,
  withoutTags,
} from "./known-projects.ts";
import { wipedRowsMax } from "./limits.ts";
import type { CacheManifest } from "./manifest.ts";
import { wipeMemories, wipeOutdated } from "./outdated-rows.ts";
import { tagSetsIn, wipeUnusedTags } from "./outdated-tags.ts";
import {
  isThere,
  lastUse,
  makeProjectFolder,
  markUsed,
  placeOfFile,
  publishManifest,
  sizeOfFiles,
  trySyncing,
  writeBlockFile,
} from "./project-files.ts";
import { type Sealed, sealWithout } from "./sealed-block.ts";

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

export interface CacheWriter {
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
  /** @returns ids of the blocks that the files of the project have already; null: they cannot be written now */
  begin(draft: CacheDraft): readonly string[] | null;
  /**
   * @param image a copy of the buffer of a block; rows of memories that were deleted meanwhile are cleared in it
   * @returns the id of the block; null: what was begun is no longer valid. @throws errors of the file system
   */
  write(project: string, image: SharedArrayBuffer): string | null;
  /**
   * @param only the image of the only block of the index; null when it has several, which were written before
   * @returns ids of the blocks that the files have now; null: what was begun is no longer valid. @throws errors of the file system
   */
  publish(
    project: string,
    manifest: Omit<CacheManifest, "blocks">,
    blocks: readonly string[],
    only: SharedArrayBuffer | null,
  ): readonly string[] | null;
  /** Gives up what was begun. */
  abandon(project: string): void;
  /** The project was searched: its files are kept longer, and read earlier after a start. */
  use(project: string, now: number): void;
}

type Draft = NonNullable<KnownProject["draft"]>;

export function createCacheWriter({ database, folder, maxBytes }: CacheWriterOptions): CacheWriter {
  const facts = createCacheFacts(database);
  const inTransaction = <Result>(work: () => Result): Result => database.transaction(work)();
  const projects = createKnownProjects(folder, maxBytes);
  const { find, remove, giveUpDraft } = projects;

  /** Clears the rows of memories that were removed since the draft began. @returns null when the draft is no longer valid */
  const seal = (draft: Draft, image: SharedArrayBuffer): Sealed | null => {
    const removed = inTransaction(() => {
      const project = facts.project(draft.project);
      if (project === null || !areCurrent(draft.epochs, facts.epochs(project.serial))) return null;
      return new Set(facts.removals(project.serial, draft.revision).map(({ memory }) => memory));
    });
    return removed === null ? null : sealWithout(removed, viewRowBlock(image, draft.dimensions));
  };

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

  const abandon = (id: string): void => {
    const project = find(id);
    if (project.draft !== null) giveUpDraft(project);
  };

  return {
    list: projects.list,

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

    begin(draft) {
      const project = find(draft.project);
      if (!hasRoom(folder)) return null;
      abandon(draft.project);
      makeProjectFolder(project.folder);
      if (project.files === null) project.removedThrough = draft.revision;
      project.removedThrough = Math.min(project.removedThrough, draft.revision);
      project.draft = { ...draft, blocks: [] };
      const { manifest } = project.files ?? {};
      // One block alone is in the file of the manifest, which is written again.
      const isKept =
        manifest !== undefined &&
        manifest.blocks.length > 1 &&
        manifest.dimensions === draft.dimensions &&
        areCurrent(manifest.epochs, draft.epochs);
      return isKept ? manifest.blocks.map((block) => block.id).filter(isThere(project.folder)) : [];
    },

    write(id, image) {
      const project = find(id);
      const { draft } = project;
      const sealed = draft === null || !hasRoom(folder) ? null : seal(draft, image);
      if (draft === null || sealed === null) return null;
      const { described, content } = sealed;
      try {
        writeBlockFile(project.folder, described.id, content);
      } catch (error) {
        // A part of the block may be left.
        giveUpDraft(project);
        throw error;
      }
      draft.blocks.push(described);
      return described.id;
    },

    publish(id, manifest, blocks, only) {
      const project = find(id);
      const { draft } = project;
      if (draft === null) return null;
      const sole = only === null ? null : seal(draft, only);
      if (only !== null && sole === null) return null;
      const known = new Map(
        [...(project.files?.manifest.blocks ?? []), ...draft.blocks].map((block) => [block.id, block]),
      );
      const described = sole === null ? blocks.map((each) => known.get(each)) : [sole.described];
      const present = described.filter((block) => block !== undefined);
      if (present.length < described.length) return null;
      const { dimensions } = manifest;
      const bytes = present.reduce((sum, { capacity }) => sum + blockFileBytes({ capacity, dimensions }), 0);
      if (bytes > maxBytes) {
        remove(project);
        return null;
      }
      projects.makeRoom(project, bytes);
      // Nobody compares them with the removals before the new manifest any more.
      if (sole === null && !trySyncing(project.folder, present)) {
        remove(project);
        return null;
      }
      const used =
        sole?.tagSets ?? tagSetsIn(present.map((block) => placeOfFile(project.folder, block, dimensions)));
      const tagSets = manifest.tagSets.filter(([number]) => used.has(number));
      const complete = { ...manifest, tagSets, blocks: present };
      try {
        project.files = withoutTags(publishManifest(project.folder, complete, sole?.content ?? null));
      } catch (error) {
        // The manifest may have its name already.
        projects.forget(project);
        throw error;
      }
      project.draft = null;
      project.usedAt = lastUse(project.files);
      return present.map((block) => block.id);
    },

    abandon,

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
