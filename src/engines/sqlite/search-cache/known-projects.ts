// Owns what the thread that changes cache files knows about each project: its files, and what is being written. Must never look into a
// block.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { CachedBlock, CacheManifest } from "./manifest.ts";
import type { WrittenBlock } from "./outdated-rows.ts";
import {
  type CacheFiles,
  lastUse,
  openCacheFiles,
  placeOfFile,
  placesOf,
  removeLeftovers,
  removeProjectFiles,
  sizeOfFiles,
} from "./project-files.ts";

/** What a searcher begins to write: the state of an index from which on changes may be missing. */
export type CacheDraft = Pick<CacheManifest, "project" | "dimensions" | "revision" | "epochs">;

export interface KnownProject {
  readonly id: string;
  readonly folder: string;
  /** Those that count; null: there are none. Without tags, because they may take as much memory as everything else. */
  files: CacheFiles | null;
  /** Rows of removals through this revision are wiped. */
  removedThrough: number;
  /** Null: nothing is being written. */
  draft: (CacheDraft & { readonly blocks: CachedBlock[] }) | null;
  usedAt: number;
}

export interface KnownProjects {
  /** Ids of the projects that have a folder, the one that was used last first. */
  list(): readonly string[];
  /**
   * Reads the manifest when the project is asked for the first time, and removes what it does not name.
   * @throws errors of the file system when unusable files cannot be removed
   */
  find(id: string): KnownProject;
  /** Removes the files of the project. @throws errors of the file system; the next call tries it again */
  remove(project: KnownProject): void;
  /** Gives up what is being written, and removes it. @throws as remove */
  giveUpDraft(project: KnownProject): void;
  /** The next call reads what the folder has, and removes what does not count. Call it when nobody knows what a failure has left. */
  forget(project: KnownProject): void;
  /** Removes the files of the projects that were not used for the longest time, until so many bytes fit. @throws as remove */
  makeRoom(kept: KnownProject, bytes: number): void;
}

const projectId = /^[0-9a-f]{32}$/;

/** @param maxBytes of all cache files together */
export function createKnownProjects(folder: string, maxBytes: number): KnownProjects {
  const projects = new Map<string, KnownProject>();
  const remove = (project: KnownProject): void => {
    // Forgotten first: if the files cannot be removed, the next call finds them again.
    projects.delete(project.id);
    removeProjectFiles(project.folder);
  };
  return {
    list() {
      try {
        const ids = readdirSync(folder).filter((name) => projectId.test(name));
        const uses = new Map(ids.map((id) => [id, lastUse({ folder: join(folder, id) })]));
        return ids.toSorted((a, b) => (uses.get(b) ?? 0) - (uses.get(a) ?? 0));
      } catch {
        return [];
      }
    },
    find(id) {
      const known = projects.get(id);
      if (known !== undefined) return known;
      const path = join(folder, id);
      const files = tryOpening(path);
      // Blocks that no manifest names could not be wiped.
      if (files === null) removeProjectFiles(path);
      else removeLeftovers(files);
      const removedThrough = files?.manifest.revision ?? 0;
      const usedAt = files === null ? 0 : lastUse(files);
      const found: KnownProject = { id, folder: path, files, removedThrough, draft: null, usedAt };
      projects.set(id, found);
      return found;
    },
    remove,
    giveUpDraft(project) {
      projects.delete(project.id);
      if (project.files === null) removeProjectFiles(project.folder);
      else removeLeftovers(project.files);
      project.draft = null;
      projects.set(project.id, project);
    },
    forget: ({ id }) => void projects.delete(id),
    makeRoom(kept, bytes) {
      const others = [...projects.values()]
        .flatMap((project) =>
          project.files === null || project === kept ? [] : [{ project, bytes: sizeOfFiles(project.files) }],
        )
        .toSorted((a, b) => a.project.usedAt - b.project.usedAt);
      let sum = others.reduce((total, each) => total + each.bytes, bytes);
      for (const each of others) {
        if (sum <= maxBytes) return;
        remove(each.project);
        sum -= each.bytes;
      }
    },
  };
}

/** All blocks in files, published or not. */
export function blocksOf({ files, draft, folder }: KnownProject): readonly WrittenBlock[] {
  const published = files === null ? [] : placesOf(files);
  return [
    ...published.flatMap((place, index) => {
      const range = files?.manifest.blocks[index];
      return range === undefined ? [] : [{ place, range }];
    }),
    ...(draft?.blocks ?? []).map((range) => ({
      place: placeOfFile(folder, range, draft?.dimensions ?? 0),
      range,
    })),
  ];
}

export function withoutTags(files: CacheFiles): CacheFiles {
  return { ...files, manifest: { ...files.manifest, tagSets: [] } };
}

function tryOpening(folder: string): CacheFiles | null {
  try {
    return withoutTags(openCacheFiles(folder));
  } catch {
    return null;
  }
}
