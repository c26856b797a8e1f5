// Owns the files that are to be kept elsewhere, until they are: each is made completely before it is sent, so after a crash the same file is sent again
// under the same name. Must never read a file into memory as a whole, or load all records.

import { createHash } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  depositHeadText,
  depositName,
  depositSuffix,
  erasuresName,
  erasuresSuffix,
  parseDepositName,
} from "../../audit/deposit.ts";
import type { DepositRange, DepositStore } from "../../calls/storage/deposit-store.ts";
import { makeFolder } from "../../platform/files/durable.ts";
import { depositMaxBytes } from "./limits.ts";
import type { SpooledFile } from "./place.ts";

export interface SpooledDeposit {
  readonly range: DepositRange;
  readonly file: SpooledFile;
  /** The receipts of the erasures whose records are in it; null: there are none. */
  readonly erasures: SpooledFile | null;
}

export interface Spool {
  /** A deposit of the chain that is made and may have been sent; null: there is none. */
  find(chain: string): Promise<SpooledDeposit | null>;
  make(range: DepositRange): Promise<SpooledDeposit>;
  remove(deposit: SpooledDeposit): Promise<void>;
}

/** @param root of one destination */
export function createSpool(root: string, store: DepositStore): Spool {
  const spooled = async (range: DepositRange): Promise<SpooledDeposit> => {
    const name = depositName(range);
    const erasures = erasuresName(name);
    const hasErasures = await exists(join(root, erasures));
    return {
      range,
      file: await describe(root, name),
      erasures: hasErasures ? await describe(root, erasures) : null,
    };
  };
  return {
    async find(chain) {
      for (const name of await filesOf(join(root, "memledger", chain))) {
        const range = parseDepositName(`memledger/${chain}/${name}`);
        if (range !== null) return spooled(range);
      }
      return null;
    },
    async make(range) {
      const folder = dirname(join(root, depositName(range)));
      makeFolder(folder);
      // What a crash has left.
      for (const name of await readdir(folder)) await rm(join(folder, name));
      const body = join(folder, "entries.tmp");
      const last = await writeFile(body, (file) => writeEntries(file, range, store));
      const made = { ...range, last };
      const erasures = await store.erasures(made);
      const path = join(root, depositName(made));
      if (erasures !== "")
        await writeSynced(join(root, erasuresName(depositName(made))), (file) => file.writeFile(erasures));
      const head = depositHeadText(await store.head(made));
      await writeSynced(path, async (file) => {
        await file.writeFile(head);
        for await (const chunk of Bun.file(body).stream()) await file.writeFile(chunk);
      });
      await rm(body);
      return spooled(made);
    },
    async remove({ file, erasures }) {
      await rm(file.path, { force: true });
      if (erasures !== null) await rm(erasures.path, { force: true });
    },
  };
}

/** @returns the last seq */
async function writeEntries(file: FileHandle, range: DepositRange, store: DepositStore): Promise<number> {
  let through = range.first - 1;
  for (let bytes = 0; through < range.last && bytes < depositMaxBytes; ) {
    const piece = await store.entries({ ...range, first: through + 1 });
    await file.writeFile(piece.text);
    bytes += Buffer.byteLength(piece.text);
    through = piece.through;
  }
  return through;
}

async function writeFile<Result>(
  path: string,
  write: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  await using file = await open(path, "w", 0o600);
  return await write(file);
}

/** Gives the file its name when it is complete. */
async function writeSynced(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const temporary = `${path}.tmp`;
  await writeFile(temporary, async (file) => {
    await write(file);
    await file.sync();
  });
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** As durable.ts does, without blocking the thread. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  await using folder = await open(path, "r");
  await folder.sync();
}

async function describe(root: string, name: string): Promise<SpooledFile> {
  const path = join(root, name);
  const { size: bytes } = await stat(path);
  return { name, path, bytes, sha256: await fileSha256(path) };
}

export async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
  return hash.digest("hex");
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/** The deposits below the folder of a chain: folder of the log and name. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith(depositSuffix) && !name.endsWith(erasuresSuffix)).toSorted();
}
