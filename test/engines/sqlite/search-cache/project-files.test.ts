// Holds cache files to what they promise: what was written is read again, and whatever was changed, cut, exchanged or left out is refused.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readColumns, wipeRows } from "../../../../src/engines/sqlite/search-cache/block-file.ts";
import {
  type CacheFiles,
  imageBytes,
  makeProjectFolder,
  openCacheFiles,
  placesOf,
  publishManifest,
  readCachedBlock,
  removeProjectFiles,
  sizeOfFiles,
  withBlock,
  writeBlockFile,
} from "../../../../src/engines/sqlite/search-cache/project-files.ts";
import { clearRow, type RowBlock } from "../../../../src/memory/ranking/scan/row-block.ts";
import { notRoot, testWith } from "../../../needs.ts";
import { createFilledBlock, describeBlock, manifestOf, sealed } from "./cached-project.ts";

let root = "";
let folder = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "memledger-cache-"));
  folder = join(root, "search", "project");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(blocks: readonly RowBlock[], into = folder): CacheFiles {
  makeProjectFolder(into);
  const described = blocks.map(describeBlock);
  const [first] = described;
  const [only] = blocks;
  if (blocks.length === 1 && first !== undefined && only !== undefined)
    return publishManifest(into, manifestOf(described), sealed(only, first.id));
  for (const [index, { id }] of described.entries()) {
    const block = blocks[index];
    if (block !== undefined) writeBlockFile(into, id, sealed(block, id));
  }
  return publishManifest(into, manifestOf(described), null);
}

/** The images of all blocks, as a thread reads them into shared memory. @throws when anything is wrong */
function load(from = folder): Uint8Array[] {
  const files = openCacheFiles(from);
  return files.manifest.blocks.map((_, index) => {
    const image = new Uint8Array(new SharedArrayBuffer(imageBytes(files.manifest, index)));
    readCachedBlock(files, index, image);
    return image;
  });
}

const imagesOf = (blocks: readonly RowBlock[]) => blocks.map(({ buffer }) => new Uint8Array(buffer.slice()));
const oneBlock = () => [createFilledBlock(192, 130)];
const threeBlocks = () => [
  createFilledBlock(8_192, 8_192),
  createFilledBlock(8_192, 8_000, 8_193),
  createFilledBlock(64, 3, 20_000),
];
const filesOf = (path: string) => readdirSync(path).toSorted();

describe("cache files", () => {
  test.each([
    ["one block", oneBlock],
    ["several blocks", threeBlocks],
    ["no block", () => []],
  ])("are read as they were written: %s", (_, make) => {
    const blocks = make();
    const written = write(blocks);
    expect(openCacheFiles(folder)).toEqual(written);
    expect(load()).toEqual(imagesOf(blocks));
  });

  test("of a small project are one file", () => {
    write(oneBlock());
    expect(filesOf(folder)).toEqual(["index"]);
  });

  test("tell their size", () => {
    for (const blocks of [oneBlock(), threeBlocks()]) {
      const files = write(blocks);
      const bytes = filesOf(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
      expect(sizeOfFiles(files)).toBe(bytes);
    }
  });

  test("are accessible to the owner only, whatever the umask is", () => {
    const before = process.umask(0);
    try {
      write(threeBlocks());
    } finally {
      process.umask(before);
    }
    for (const name of filesOf(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    for (const path of [folder, join(root, "search")]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test("are replaced by the next manifest, which may keep blocks of the previous one", () => {
    const blocks = threeBlocks();
    const { manifest } = write(blocks);
    const changed = createFilledBlock(128, 100, 30_000);
    const described = describeBlock(changed);
    writeBlockFile(folder, described.id, sealed(changed, described.id));
    const next = [...manifest.blocks.slice(0, 2), described];
    publishManifest(folder, manifestOf(next), null);
    expect(load()).toEqual(imagesOf([...blocks.slice(0, 2), changed]));
    expect(filesOf(folder)).toEqual([...next.map(({ id }) => `${id}.block`), "index"].toSorted());
  });

  test("of a previous generation do not return: a manifest without its blocks is refused", () => {
    write(threeBlocks());
    const kept = readFileSync(join(folder, "index"));
    write(threeBlocks());
    writeFileSync(join(folder, "index"), kept);
    expect(() => load()).toThrow(/ENOENT/);
  });

  test("with the manifest of a previous generation and the blocks of a newer one are refused", () => {
    const [former] = write(threeBlocks()).manifest.blocks;
    const kept = readFileSync(join(folder, "index"));
    write(threeBlocks());
    writeFileSync(join(folder, "index"), kept);
    for (const name of filesOf(folder).filter((name) => name.endsWith(".block")))
      copyFileSync(join(folder, name), join(folder, `${former?.id}.block`));
    expect(() => load()).toThrow(/header is not that of the block/);
  });

  test("are removed, and only they", () => {
    write(threeBlocks());
    writeFileSync(join(folder, "notes.txt"), "mine");
    mkdirSync(join(folder, `${"a".repeat(32)}.block`));
    removeProjectFiles(folder);
    expect(filesOf(folder)).toEqual([`${"a".repeat(32)}.block`, "notes.txt"]);
    rmSync(folder, { recursive: true });
    write(threeBlocks());
    removeProjectFiles(folder);
    expect(existsSync(folder)).toBe(false);
    removeProjectFiles(folder);
  });
});

describe("cache files are refused", () => {
  test("with a flipped bit, wherever it is", () => {
    write(oneBlock());
    const path = join(folder, "index");
    const content = readFileSync(path);
    const image = imagesOf(oneBlock());
    const padding = openCacheFiles(folder).blockStart - 64;
    let refused = 0;
    for (let at = 0; at < content.length; at++) {
      const flipped = Buffer.from(content);
      flipped[at] = (content[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(path, flipped);
      try {
        // What only fills the manifest up means nothing.
        expect(load()).toEqual(image);
        expect(at).toBeGreaterThan(padding);
        expect(content[at]).toBe(0);
      } catch (error) {
        expect(String(error)).toMatch(/check|not a manifest|header|cut off|too large/);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(content.length - 64);
  });

  test("cut off at any length, and with an end of zeros as a torn write leaves it", () => {
    write(oneBlock());
    const path = join(folder, "index");
    const content = readFileSync(path);
    for (let length = 0; length < content.length; length += 13) {
      writeFileSync(path, content.subarray(0, length));
      expect(() => load()).toThrow();
      const torn = Buffer.alloc(content.length);
      content.copy(torn, 0, 0, length);
      // Free rows at the end are zeros anyway.
      if (torn.equals(content)) continue;
      writeFileSync(path, torn);
      expect(() => load()).toThrow();
    }
  });

  test.each([
    ["a block that is missing", (path: string) => rmSync(path)],
    ["a block that is cut off", (path: string) => truncateSync(path, 10_000)],
    ["an empty block", (path: string) => truncateSync(path, 0)],
    [
      "a folder in the place of a block",
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    [
      "a link in the place of a block",
      (path: string) => {
        renameSync(path, `${path}.elsewhere`);
        symlinkSync(`${path}.elsewhere`, path);
      },
    ],
  ])("with %s", (_, spoil) => {
    const { manifest } = write(threeBlocks());
    expect(load()).toHaveLength(3);
    spoil(join(folder, `${manifest.blocks[1]?.id}.block`));
    expect(() => load()).toThrow();
  });

  testWith(notRoot)("that cannot be read", () => {
    write(oneBlock());
    chmodSync(join(folder, "index"), 0);
    expect(() => load()).toThrow(/EACCES/);
  });

  test("with two blocks that were exchanged, and with a block of another project", () => {
    const { manifest } = write(threeBlocks());
    const other = join(root, "search", "other");
    const { manifest: foreign } = write(threeBlocks(), other);
    const [first, second] = manifest.blocks.map(({ id }) => join(folder, `${id}.block`));
    const aside = join(folder, "aside");
    renameSync(first ?? "", aside);
    renameSync(second ?? "", first ?? "");
    renameSync(aside, second ?? "");
    expect(() => load()).toThrow(/header is not that of the block/);
    rmSync(folder, { recursive: true });
    const again = write(threeBlocks());
    copyFileSync(
      join(other, `${foreign.blocks[0]?.id}.block`),
      join(folder, `${again.manifest.blocks[0]?.id}.block`),
    );
    expect(() => load()).toThrow(/header is not that of the block/);
  });

  test("with groups of rows that were exchanged within a block", () => {
    write(oneBlock());
    const path = join(folder, "index");
    const content = readFileSync(path);
    const start = openCacheFiles(folder).blockStart;
    // Of the first view and of the checks, so that only their place is wrong.
    const swap = (at: number, bytes: number) => {
      const kept = Buffer.from(content.subarray(at, at + bytes));
      content.copy(content, at, at + bytes, at + 2 * bytes);
      kept.copy(content, at + bytes);
    };
    const image = start + 64 + 3 * 8;
    let viewAt = image;
    for (const width of [8, 8, 8, 8, 4, 4, 4, 1, 24]) {
      swap(viewAt, 64 * width);
      viewAt += 192 * width;
    }
    swap(start + 64, 8);
    writeFileSync(path, content);
    expect(() => load()).toThrow(/check of its rows/);
  });

  test("of another version, in a link, and in a folder that is a link", () => {
    write(oneBlock());
    const path = join(folder, "index");
    const content = readFileSync(path);
    const other = Buffer.from(content);
    other[7] = 2;
    writeFileSync(path, other);
    expect(() => load()).toThrow(/not a manifest of this version/);
    rmSync(path);
    const elsewhere = join(root, "elsewhere");
    writeFileSync(elsewhere, content);
    symlinkSync(elsewhere, path);
    expect(() => load()).toThrow(/ELOOP/);
    rmSync(path);
    writeFileSync(path, content);
    renameSync(folder, `${folder}-moved`);
    symlinkSync(`${folder}-moved`, folder);
    expect(() => load()).toThrow(/symbolic link/);
    removeProjectFiles(folder);
    expect(readFileSync(join(`${folder}-moved`, "index")).equals(content)).toBe(true);
  });
});

describe("rows that are wiped", () => {
  const placeAt = (index: number) => {
    const place = placesOf(openCacheFiles(folder))[index];
    if (place === undefined) throw new Error(`there is no block ${index}`);
    return place;
  };
  const wipe = (index: number, rows: readonly number[]) => {
    withBlock(placeAt(index), "change", (block) => wipeRows(block, rows));
  };

  test.each([
    ["in the file of the manifest", oneBlock, 0],
    ["in the file of a block", threeBlocks, 1],
  ])("are free and all others as before, %s", (_, make, index) => {
    const blocks = make();
    write(blocks);
    const rows = [0, 1, 63, 64, 129];
    wipe(index, rows);
    const block = blocks[index];
    if (block !== undefined) for (const row of rows) clearRow(block, row);
    expect(load()).toEqual(imagesOf(blocks));
    // Again, as after a crash.
    wipe(index, rows);
    expect(load()).toEqual(imagesOf(blocks));
  });

  test("are found by their serials", () => {
    write(threeBlocks());
    const { serials, contentRevisions } = withBlock(placeAt(1), "read", readColumns);
    expect(contentRevisions[3]).toBe(8_196 + 7);
    expect(serials).toHaveLength(8_192);
    expect([...serials.subarray(0, 2)]).toEqual([8_193, 8_194]);
    expect([...serials.subarray(8_000)]).toEqual(new Array(192).fill(0));
  });

  test("leave none of their bytes in the file", () => {
    const [block] = oneBlock();
    if (block === undefined) throw new Error("there is a block");
    write([block]);
    const codes = Buffer.from(block.codes.slice(24 * 70, 24 * 71));
    expect(readFileSync(join(folder, "index")).includes(codes)).toBe(true);
    wipe(0, [70]);
    expect(readFileSync(join(folder, "index")).includes(codes)).toBe(false);
  });

  test("make no damaged group look intact", () => {
    write(oneBlock());
    const path = join(folder, "index");
    const content = readFileSync(path);
    const at = content.length - 24 * 10;
    content[at] = (content[at] ?? 0) ^ 1;
    writeFileSync(path, content);
    expect(() => wipe(0, [129])).toThrow(/check of its rows/);
    expect(() => load()).toThrow(/check of its rows/);
  });
});
