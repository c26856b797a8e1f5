// Makes backups as an attacker would who can write to the place where they are kept, but has neither the signing key nor the evidence that
// the operator keeps elsewhere. Each starts from an honest backup that is unpacked in a folder.

import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { createSigner, createSigningKey } from "../../src/audit/signed-note.ts";
import { chooseEngine } from "../../src/engines/engines.ts";
import { applicationId } from "../../src/engines/sqlite/schema/migrate.ts";
import initial from "../../src/engines/sqlite/schema/migrations/0001-initial.sql" with { type: "text" };
import { createArchiveWriter } from "../../src/server/backup/archive-writer.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";

export interface Unpacked {
  readonly folder: string;
  readonly names: readonly string[];
}

type Changes = Readonly<Record<string, unknown>>;

/** Writes an archive of the files whose manifest has true checksums, and these members besides. */
export async function pack(file: string, { folder, names }: Unpacked, changes: Changes = {}): Promise<void> {
  const contents = names.map((name) => ({ name, content: readFileSync(join(folder, name)) }));
  const files = contents.map(({ name, content }) => ({
    name,
    bytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
  }));
  const copy = await chooseEngine(locate(folder))
    .describe()
    .catch(() => null);
  const { format, ...database } = copy ?? { format: 0, model: null, installation: null, chains: [] };
  const manifest = {
    format: "memledger-backup/v1",
    created_at: "2026-11-22T00:00:00.000Z",
    memledger: { version: "0.2.0", commit: "source" },
    database_format: format,
    ...database,
    audit_key: existsSync(join(folder, "audit.pub"))
      ? readFileSync(join(folder, "audit.pub"), "utf8").split("\n")[0]
      : null,
    includes_signing_key: false,
    removed_settings: [],
    files,
    ...changes,
  };
  rmSync(file, { force: true });
  const target = openSync(file, "wx", 0o600);
  const archive = createArchiveWriter(target, 0, () => undefined);
  const text = Buffer.from(JSON.stringify(manifest));
  for (const { name, content } of [{ name: "manifest.json", content: text }, ...contents])
    await archive.add({ name, bytes: content.length, content });
  archive.end();
  closeSync(target);
}

function change(folder: string, ...statements: string[]): undefined {
  const database = new Database(join(folder, "memledger.db"));
  for (const statement of statements) database.run(statement);
  database.run("PRAGMA journal_mode = DELETE");
  database.close();
}

function replaceDatabase(folder: string, work: (database: Database) => void): undefined {
  rmSync(join(folder, "memledger.db"));
  const database = new Database(join(folder, "memledger.db"), { create: true });
  work(database);
  database.close();
}

/** A database of the first format, which had no signatures; without a record. */
function makeFirstFormat(database: Database): void {
  database.exec(initial);
  database.run(`PRAGMA application_id = ${applicationId}`);
  database.run("PRAGMA user_version = 1");
}

const emptyChain = (folder: string, kept: string) => {
  // The chain that the checkpoint names, so that it is not missing.
  const chain = /^memledger\/([0-9a-f]{32})$/m.exec(kept)?.[1] ?? "";
  replaceDatabase(folder, (database) => {
    makeFirstFormat(database);
    database.run("INSERT INTO audit_chain (id, project, genesis, hash) VALUES (?, NULL, ?, ?)", [
      chain,
      JSON.stringify({ chain, project: null, at: "2026-11-21T09:00:00.000Z", nonce: chain }),
      "0".repeat(64),
    ]);
  });
};

const plain = (names: readonly string[]) => names.filter((name) => !name.startsWith("checkpoints/"));
const firstFormat = resolve(import.meta.dir, "../engines/sqlite/format-1.db");

interface Forgery {
  readonly name: string;
  /** @param kept the checkpoint that the operator keeps elsewhere. Changes the folder. @returns what is packed */
  readonly forge: (
    unpacked: Unpacked,
    kept: string,
  ) => { names?: readonly string[]; changes?: Changes } | undefined;
  /** Changes the file. */
  readonly finish?: (file: string) => void;
  /** The exit codes of `backup verify` with a checkpoint and the public key, and of `restore` with the public key alone. */
  readonly codes: readonly [withCheckpoint: number, withKey: number];
}

export const forgedBackups: readonly Forgery[] = [
  {
    name: "an empty database",
    forge: ({ folder }) => {
      writeFileSync(join(folder, "memledger.db"), "");
      return undefined;
    },
    codes: [40, 40],
  },
  {
    name: "a database without tables",
    forge: ({ folder }) =>
      replaceDatabase(folder, (database) => database.run(`PRAGMA application_id = ${applicationId}`)),
    codes: [40, 40],
  },
  {
    name: "a database of the first format without a record",
    forge: ({ folder, names }) => {
      replaceDatabase(folder, makeFirstFormat);
      return { names: plain(names) };
    },
    codes: [30, 20],
  },
  {
    name: "a database of the first format with an empty chain of the same name",
    forge: ({ folder, names }, kept) => {
      emptyChain(folder, kept);
      return { names: plain(names) };
    },
    codes: [20, 20],
  },
  {
    name: "a database of the first format that belongs to another installation",
    forge: ({ folder, names }) => {
      cpSync(firstFormat, join(folder, "memledger.db"));
      return { names: plain(names) };
    },
    codes: [30, 20],
  },
  {
    name: "the number of the format lowered",
    forge: ({ folder }) => change(folder, "PRAGMA user_version = 1"),
    codes: [1, 1],
  },
  {
    name: "a negative number of the format",
    forge: ({ folder }) => change(folder, "PRAGMA user_version = -1"),
    codes: [1, 1],
  },
  {
    name: "a manifest that states another number of records",
    forge: () => ({ changes: { chains: [] } }),
    codes: [40, 40],
  },
  {
    name: "a manifest of another installation",
    forge: () => ({ changes: { installation: "0".repeat(32) } }),
    codes: [40, 40],
  },
  {
    name: "a manifest that states another model",
    forge: () => ({ changes: { model: { id: "x", sha256: "0".repeat(64), dimensions: 384 } } }),
    codes: [40, 40],
  },
  {
    name: "a manifest that states a signing key that is not there",
    forge: () => ({ changes: { includes_signing_key: true } }),
    codes: [40, 40],
  },
  {
    name: "a manifest that names another signing key",
    forge: () => ({ changes: { audit_key: createSigner(createSigningKey()).verifierKey } }),
    codes: [20, 20],
  },
  {
    name: "the signing key of the attacker in the database",
    forge: ({ folder }) =>
      change(
        folder,
        `INSERT OR REPLACE INTO installation (name, value) VALUES ('audit_key', '${createSigner(createSigningKey()).verifierKey}')`,
      ),
    codes: [20, 20],
  },
  {
    name: "the signing key and the public key of the attacker",
    forge: ({ folder, names }) => {
      const pem = createSigningKey();
      writeFileSync(join(folder, "audit.key"), pem);
      const audit_key = createSigner(pem).verifierKey;
      writeFileSync(join(folder, "audit.pub"), `${audit_key}\n`);
      return { names: [...names, "audit.key"], changes: { includes_signing_key: true, audit_key } };
    },
    codes: [20, 20],
  },
  {
    name: "all signatures removed",
    forge: ({ folder, names }) => {
      change(folder, "DELETE FROM audit_checkpoint");
      return { names: plain(names) };
    },
    // The checkpoint confirms the records that it covers.
    codes: [0, 20],
  },
  {
    name: "bytes behind the archive",
    forge: () => undefined,
    finish: (file) => appendFileSync(file, "more"),
    codes: [40, 40],
  },
  {
    name: "a frame behind the archive",
    forge: () => undefined,
    finish: (file) => appendFileSync(file, Bun.zstdCompressSync(Buffer.from("more"))),
    codes: [40, 40],
  },
  {
    name: "a frame that decoders skip behind the archive",
    forge: () => undefined,
    finish: (file) => appendFileSync(file, Buffer.from("502a4d18040000006d6f7265", "hex")),
    codes: [40, 40],
  },
];
