// Judges one state of the disk after a power loss: opens it as the server does and compares it with what clients knew by then.

import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { chooseEngine } from "../../src/engines/engines.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { type DataDirectory, locate } from "../../src/server/data-directory/data-directory.ts";
import { openLedger } from "../../src/server/ledger/ledger.ts";
import { findFaults } from "./check.ts";
import type { Call } from "./load.ts";

export interface Knowledge {
  /** Those that were not answered yet have the status null. */
  readonly calls: readonly Call[];
  /** Whether a server has said that it is ready, and with it what its first key is. */
  readonly isReady: boolean;
  /** How many records were there before the first life. */
  readonly leastRecords: number;
  /** The newest signing key that the server has used; null before. */
  readonly signingKey: Buffer | null;
}

const runtime = prepareRuntime("unused-from-source");

/** Writes the files of a state into `target`, which is emptied before. */
export function materialise(files: ReadonlyMap<string, Buffer>, from: DataDirectory, target: string): void {
  rmSync(target, { recursive: true, force: true });
  for (const [path, content] of files) {
    const place = join(target, relative(from.root, path));
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    writeFileSync(place, content, { mode: 0o600 });
  }
}

/** @param root a data directory; it is opened and with it recovered. @returns one sentence per fault. */
export async function judge(
  root: string,
  { calls, isReady, leastRecords, signingKey }: Knowledge,
  files: FilesByName,
): Promise<string[]> {
  const { database: path } = locate(root);
  const isKnown = isReady || leastRecords > 0 || calls.some(({ status }) => status !== null);
  const isThere = existsSync(path) && statSync(path).size > 0;
  if (!isThere && isKnown) return ["the database is gone"];
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const directory = locate(root);
    await openLedger({ directory, engine: chooseEngine(directory, () => runtime) }, null);
  } catch (error) {
    return [`the server could not start: ${error instanceof Error ? error.message : String(error)}`];
  }
  return [
    ...findFaults(path, calls),
    ...(isReady ? [...findLostKeys(path), ...findLostVerifierKey(files)] : []),
    ...(countRecords(path) < leastRecords ? ["records from before are lost"] : []),
    ...findContradictions(path, files),
    ...findTornExports(path, files),
    ...findLostSigner(path, files, signingKey),
  ];
}

/** Content by path below the data directory. */
type FilesByName = ReadonlyMap<string, Buffer>;

function findLostKeys(path: string): string[] {
  return ask(path, "SELECT COUNT(*) AS value FROM api_key") === 0 ? ["the key that was shown is lost"] : [];
}

/** Without it nobody can verify before the next start. */
function findLostVerifierKey(files: FilesByName): string[] {
  const text = files.get("audit.pub")?.toString("latin1") ?? "";
  return /^memledger\+[0-9a-f]{8}\+\S{44}\n$/.test(text) ? [] : ["the verifier key is lost"];
}

export function countRecords(path: string): number {
  return ask(path, "SELECT COUNT(*) AS value FROM audit_entry");
}

/** A note about records that the database does not contain would accuse an honest operator. */
function findContradictions(path: string, files: FilesByName): string[] {
  const faults: string[] = [];
  for (const [name, content] of files) {
    if (!name.endsWith(".notes")) continue;
    const notes = content
      .toString("latin1")
      .matchAll(/^memledger\/([0-9a-f]{32})\n(\d+)\n(\S{44})\n.*\n\n.*\n/gm);
    for (const [, chain = "", size = "", head = ""] of notes) {
      const hash = Buffer.from(head, "base64").toString("hex");
      const found = ask(
        path,
        "SELECT COUNT(*) AS value FROM audit_entry JOIN audit_chain c ON c.number = chain WHERE c.id = ? AND seq = ? AND audit_entry.hash = ?",
        [chain, Number(size), hash],
      );
      if (found === 0 && size !== "0")
        faults.push(`${basename(name)} covers record ${size}, which does not exist`);
    }
  }
  return faults;
}

/** An export that says it is completed is there as a whole, with its manifest. */
function findTornExports(path: string, files: FilesByName): string[] {
  const database = new Database(path, { readonly: true });
  const rows = database
    .query<{ name: string; sha256: string }, []>(
      "SELECT id || '.' || format AS name, sha256 FROM audit_export WHERE status = 'completed'",
    )
    .all();
  database.close();
  return rows.flatMap(({ name, sha256 }) => {
    const file = files.get(`exports/${name}`);
    if (file === undefined) return [`the export ${name} is completed, but its file is gone`];
    const isWhole = createHash("sha256").update(file).digest("hex") === sha256;
    const isTold = files.get(`exports/${name}.manifest`)?.includes(sha256) === true;
    return isWhole && isTold ? [] : [`the export ${name} is completed, but torn`];
  });
}

function findLostSigner(path: string, files: FilesByName, signingKey: Buffer | null): string[] {
  if (signingKey === null || ask(path, "SELECT COUNT(*) AS value FROM audit_checkpoint") === 0) return [];
  const kept = files.get("audit.key");
  return kept?.equals(signingKey) ? [] : ["the key that has signed checkpoints is lost"];
}

function ask(path: string, sql: string, values: (string | number)[] = []): number {
  const database = new Database(path, { readonly: true });
  try {
    return database.query<{ value: number }, (string | number)[]>(sql).get(...values)?.value ?? 0;
  } finally {
    database.close();
  }
}
