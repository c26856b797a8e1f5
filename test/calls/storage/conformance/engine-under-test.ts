// Owns what the conformance suite is told about an engine, and how its tests open one. Must never name an engine.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine, LedgerFiles, StoreOptions } from "../../../../src/calls/storage/engine.ts";
import { createOwnKey, openLedgerFiles } from "../../../../src/server/ledger/ledger-files.ts";
import { openSeam, type Seam } from "../seam.ts";

/** The parts that an engine may lack, and what each one means. Everything else is tested with every engine. */
export const parts = {
  lock: "`takeLock` keeps other processes from using the database",
  durability: "another process finds everything that was answered",
  "several servers": "two stores can use one database at the same time",
  "word forms": 'a word finds its other forms, as "release" finds "releases"',
  "export files": "the files of exports are written",
  retention: "`Retention.run` removes old records",
  verification: "`AuditReader.verify` checks a chain",
} as const;

type Part = keyof typeof parts;

export interface EngineUnderTest {
  readonly name: string;
  /** Makes the engine of a folder, which may hold a database already. */
  open(folder: string): Engine;
  readonly lacks: Readonly<Partial<Record<Part, string>>>;
  /** Options of a store for the tests of search, such as the size of its cache; each of them is tested. Default: one, without changes. */
  readonly searchOptions?: Readonly<Record<string, Partial<StoreOptions>>>;
}

/** A folder with a database and the files of its ledger. */
export interface Place extends Disposable {
  readonly folder: string;
  readonly ledger: LedgerFiles;
}

export function createPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), "memledger-conformance-"));
  const ledger = openLedgerFiles(folder, createOwnKey(folder));
  return { folder, ledger, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

interface Opened {
  readonly place: Place;
  readonly seam: Seam;
}

const shared = new Map<EngineUnderTest, Opened>();

/** Runs `work` with a store that other tests use, too, each with projects of its own, and expects that nothing was logged as a warning or an error. */
export async function withSeam(subject: EngineUnderTest, work: (seam: Seam) => Promise<void>): Promise<void> {
  const opened = shared.get(subject) ?? (await open(subject));
  // A test that fails leaves it closed: the next one opens another.
  shared.delete(subject);
  await use(opened, work).catch(async (error: unknown) => {
    await close(opened);
    throw error;
  });
  shared.set(subject, opened);
}

/** The same with a store on a new database. */
export async function withNewSeam(
  subject: EngineUnderTest,
  work: (seam: Seam) => Promise<void>,
  options: Partial<StoreOptions> = {},
): Promise<void> {
  const opened = await open(subject, options);
  try {
    await use(opened, work);
  } finally {
    await close(opened);
  }
}

export async function closeShared(subject: EngineUnderTest): Promise<void> {
  const opened = shared.get(subject);
  shared.delete(subject);
  if (opened !== undefined) await close(opened);
}

async function open(subject: EngineUnderTest, options: Partial<StoreOptions> = {}): Promise<Opened> {
  const place = createPlace();
  const seam = await openSeam({ engine: subject.open(place.folder), ledger: place.ledger, ...options });
  return { place, seam };
}

async function use({ seam }: Opened, work: (seam: Seam) => Promise<void>): Promise<void> {
  const before = seam.complaints.length;
  await work(seam);
  const complaints = seam.complaints.slice(before);
  if (complaints.length > 0) throw new Error(`the engine complained: ${complaints.join("\n")}`);
}

async function close({ place, seam }: Opened): Promise<void> {
  await seam.close();
  place[Symbol.dispose]();
}

/** Whether the suite tests this part with the engine. */
export function has({ lacks }: EngineUnderTest, part: Part): boolean {
  return lacks[part] === undefined;
}
