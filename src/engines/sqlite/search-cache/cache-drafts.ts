// Owns how the cache files of a project are written again: a draft is begun, its blocks are written, and a manifest publishes them. A row is
// written only after the removals were read from the database.

import { viewRowBlock } from "../../../memory/ranking/scan/row-block.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { blockFileBytes } from "./block-file.ts";
import { areCurrent, createCacheFacts } from "./cache-facts.ts";
import { hasRoom } from "./disk-room.ts";
import { type Finished, finishWithout } from "./finished-block.ts";
import { type CacheDraft, createKnownProjects, type KnownProject, withoutTags } from "./known-projects.ts";
import type { CacheManifest } from "./manifest.ts";
import { tagSetsIn } from "./outdated-tags.ts";
import {
  isThere,
  lastUse,
  makeProjectFolder,
  placeOfFile,
  publishManifest,
  trySyncing,
  writeBlockFile,
} from "./project-files.ts";

export interface CacheDrafts {
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
}

type Draft = NonNullable<KnownProject["draft"]>;

export type CacheTools = ReturnType<typeof createCacheTools>;

/** @param folder of all projects @param maxBytes of all cache files together */
export function createCacheTools(database: Database, folder: string, maxBytes: number) {
  const facts = createCacheFacts(database);
  const inTransaction = <Result>(work: () => Result): Result => database.transaction(work)();
  return { folder, maxBytes, facts, inTransaction, projects: createKnownProjects(folder, maxBytes) };
}

export function createDrafts({ folder, maxBytes, facts, inTransaction, projects }: CacheTools): CacheDrafts {
  const { find, remove, giveUpDraft } = projects;

  /** Clears the rows of memories that were removed since the draft began. @returns null when the draft is no longer valid */
  const finish = (draft: Draft, image: SharedArrayBuffer): Finished | null => {
    const removed = inTransaction(() => {
      const project = facts.project(draft.project);
      if (project === null || !areCurrent(draft.epochs, facts.epochs(project.serial))) return null;
      return new Set(facts.removals(project.serial, draft.revision).map(({ memory }) => memory));
    });
    return removed === null ? null : finishWithout(removed, viewRowBlock(image, draft.dimensions));
  };

  const abandon = (id: string): void => {
    const project = find(id);
    if (project.draft !== null) giveUpDraft(project);
  };

  return {
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
      const finished = draft === null || !hasRoom(folder) ? null : finish(draft, image);
      if (draft === null || finished === null) return null;
      const { described, content } = finished;
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
      const sole = only === null ? null : finish(draft, only);
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
  };
}
