// Owns how the index of a project is copied for its cache files, in the searcher: one changed block in each request, so that searches come
// in between. Which blocks the files have is remembered for each index. Must never change an index.

import type { RowBlock } from "../../../../memory/ranking/scan/row-block.ts";
import type { Database } from "../../../../platform/native/sqlite.ts";
import { createModelLookup } from "../../schema/model-binding.ts";
import { createCacheFacts } from "../../search-cache/cache-facts.ts";
import type { CopyEnd, CopyRequest, CopyStep, DueCopy } from "../../search-cache/copy-steps.ts";
import type { IndexCache, LoadedIndex } from "../index/index-cache.ts";

/** A block that was written. */
interface WrittenBlock {
  readonly id: string;
  /** How often the block had been changed when it was copied. */
  readonly changes: number;
}

interface Written {
  readonly blocks: readonly (WrittenBlock | undefined)[];
  readonly moves: number;
}

interface Copy {
  readonly loaded: LoadedIndex;
  /** Id of the project. */
  readonly project: string;
  readonly revision: number;
  readonly epochs: Readonly<Record<string, number>>;
  readonly moves: number;
  blocks: (WrittenBlock | undefined)[];
  /** The position of the block that was copied last, and how often it had been changed. */
  last: { readonly at: number; readonly changes: number };
  image: SharedArrayBuffer;
}

type Content = LoadedIndex["index"]["content"];

type CopiedIndexes = Pick<IndexCache, "loaded" | "takeSearched">;

export interface IndexCopies {
  handle(request: CopyRequest): readonly DueCopy[] | readonly string[] | CopyStep;
  /** The index was read from files with these blocks. */
  remember(index: LoadedIndex["index"], ids: readonly string[]): void;
}

/** @param connect called with the first request */
export function createIndexCopies(connect: () => Database, indexes: CopiedIndexes): IndexCopies {
  const loaded = () => indexes.loaded();
  const written = new WeakMap<LoadedIndex["index"], Written>();
  let opened: ReturnType<typeof prepare> | null = null;
  const source = () => {
    opened ??= prepare(connect());
    return opened;
  };
  let copy: Copy | null = null;

  const due = (): DueCopy[] =>
    [...loaded()].reverse().flatMap((each) => {
      const bytes = dueBytes(each.index.content, written.get(each.index));
      const project = bytes === 0 ? undefined : source().idOf.get(each.project);
      return project === undefined ? [] : [{ project, bytes }];
    });

  const begin = (project: string): CopyStep => {
    copy = null;
    const found = [...loaded()].find((each) => source().idOf.get(each.project) === project);
    if (found === undefined) return null;
    if (found.isInUse) return { isInUse: true };
    const { revision, epochs, moves } = found.index.content;
    if (revision === 0) return null;
    copy = {
      loaded: found,
      project,
      revision,
      epochs: { ...epochs },
      moves,
      blocks: [],
      last: { at: -1, changes: 0 },
      image: new SharedArrayBuffer(0),
    };
    return { draft: { project, dimensions: found.model.dimensions, revision, epochs: copy.epochs } };
  };

  /** The next block that the files do not have, or the end. */
  const next = (current: Copy): CopyStep => {
    const { index } = current.loaded;
    const isLoaded = [...loaded()].some((each) => each.index === index);
    const { blocks, changes, moves } = index.content;
    if (!isLoaded || moves !== current.moves) return null;
    const isOnly = blocks.length === 1;
    const missing = isOnly ? -1 : blocks.findIndex((_, at) => current.blocks[at] === undefined);
    if (missing === -1) return end(current, isOnly ? blocks[0] : undefined, changes);
    copyBlock(current, blocks[missing]);
    current.last = { at: missing, changes: changes[missing] ?? 0 };
    return { image: current.image };
  };

  /** @param only the only block */
  const end = (current: Copy, only: RowBlock | undefined, changes: readonly number[]): CopyEnd | null => {
    const { project, revision, epochs, loaded: found } = current;
    const state = source().stateOf(project);
    const { sha256, dimensions } = found.model;
    if (state === null || state.model?.sha256 !== sha256) return null;
    const { head, newestRevision } = state;
    if (only !== undefined) {
      copyBlock(current, only);
      current.last = { at: 0, changes: changes[0] ?? 0 };
    }
    const tagSets = [...found.index.content.tagSets];
    return {
      manifest: { model: sha256, dimensions, project, head, revision, newestRevision, epochs, tagSets },
      blocks: only === undefined ? current.blocks.flatMap((block) => block?.id ?? []) : [],
      only: only === undefined ? null : current.image,
    };
  };

  const nextOrNothing = (): CopyStep => {
    const step = copy === null ? null : next(copy);
    if (step === null) copy = null;
    return step;
  };

  return {
    handle(request) {
      if ("due" in request) return due();
      if ("searched" in request)
        return indexes.takeSearched().flatMap((project) => source().idOf.get(project) ?? []);
      if ("begin" in request) return begin(request.begin);
      if ("kept" in request && copy !== null) {
        const { index } = copy.loaded;
        copy.blocks = keptBlocks(index.content, written.get(index), request.kept) ?? copy.blocks;
      }
      if ("written" in request && copy !== null)
        copy.blocks[copy.last.at] = { id: request.written, changes: copy.last.changes };
      if (!("published" in request)) return nextOrNothing();
      if (copy !== null && request.published !== null) {
        const [only] = request.published;
        const blocks =
          request.published.length === 1 && only !== undefined
            ? [{ id: only, changes: copy.last.changes }]
            : [...copy.blocks];
        written.set(copy.loaded.index, { blocks, moves: copy.moves });
      }
      copy = null;
      return null;
    },
    remember(index, ids) {
      const { changes, moves } = index.content;
      written.set(index, { blocks: ids.map((id, at) => ({ id, changes: changes[at] ?? 0 })), moves });
    },
  };
}

/** Of the blocks that differ from the files. An index without memories has no files. */
function dueBytes({ blocks, changes, moves, revision }: Content, known: Written | undefined): number {
  if (revision === 0) return 0;
  const isCurrent = (at: number) =>
    known !== undefined && known.moves === moves && known.blocks[at]?.changes === changes[at];
  return blocks.reduce((sum, { buffer }, at) => sum + (isCurrent(at) ? 0 : buffer.byteLength), 0);
}

/** Those of the blocks that the files have which are as the files have them; null: all rows have moved since. */
function keptBlocks({ changes, moves }: Content, known: Written | undefined, kept: readonly string[]) {
  if (known === undefined || known.moves !== moves) return null;
  return known.blocks.map((block, at) =>
    block !== undefined && kept.includes(block.id) && block.changes === changes[at] ? block : undefined,
  );
}

function prepare(database: Database) {
  const facts = createCacheFacts(database);
  const bound = createModelLookup(database);
  return {
    // Subjects have no cache files.
    idOf: database
      .prepare<[number], string>("SELECT id FROM project WHERE serial = ? AND parent IS NULL")
      .pluck(),
    /** Null: the project was deleted. */
    stateOf: database.transaction((id: string) => {
      const project = facts.project(id);
      const head = project === null ? null : facts.newestHead(project.serial);
      return project === null || head === null
        ? null
        : { head, newestRevision: project.revision, model: bound() };
    }),
  };
}

/** Into the memory of the copy, which is used again for each block of the same size. */
function copyBlock(copy: Copy, block: RowBlock | undefined): void {
  if (block === undefined) return;
  if (copy.image.byteLength !== block.buffer.byteLength)
    copy.image = new SharedArrayBuffer(block.buffer.byteLength);
  new Uint8Array(copy.image).set(new Uint8Array(block.buffer));
}
