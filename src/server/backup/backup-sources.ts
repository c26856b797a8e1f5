// Owns which files of a data directory a backup contains besides the database, and that none of them has a secret, except the signing
// key if it is asked for. Must never change a file.

import { existsSync, globSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { readRegularText } from "../../platform/files/regular-file.ts";
import { evidenceFileMaxBytes } from "../../platform/limits.ts";
import { findSigningKey, notesFolder } from "../ledger/ledger-files.ts";
import { rotationsPath } from "../ledger/ledger-rotation.ts";
import { modelCopiesFolder } from "../model/model-copies.ts";
import type { ArchiveSource } from "./archive-writer.ts";
import { withoutSecrets } from "./config-without-secrets.ts";
import { isArchivable } from "./manifest.ts";

export interface BackupSources {
  readonly files: readonly ArchiveSource[];
  /** Verifier key of the signing key; null: there is none that can be read. */
  readonly auditKey: string | null;
  /** Settings that were left out of memledger.toml, because their values are secret. */
  readonly removedSettings: readonly string[];
}

interface SourceOptions {
  /** Path of the signing key; null: the key in the data directory. */
  readonly auditKey: string | null;
  readonly includesSigningKey: boolean;
}

/**
 * To be called before the database is copied: the notes are written after the commit of their records, so every record that a note here
 * covers is in the copy. A note that is not here yet is appended from the database by the first start after a restore.
 * @throws Error that says what to do when the signing key is asked for and cannot be read
 */
export function gatherSources(root: string, { auditKey, includesSigningKey }: SourceOptions): BackupSources {
  const key = includesSigningKey ? findSigningKey(root, auditKey) : findReadableKey(root, auditKey);
  if (includesSigningKey && key === null) {
    throw new Error(
      `There is no signing key in ${root}, so the backup cannot contain it. Set its path with --audit-key FILE, or leave out --include-signing-key.`,
    );
  }
  const config = readOptional(join(root, "memledger.toml"));
  const { text, removed } = config === null ? { text: null, removed: [] } : withoutSecrets(config);
  const files = [
    textFile("audit.pub", readOptional(join(root, "audit.pub"))),
    textFile("audit.rotations", readOptional(rotationsPath(root))),
    textFile("memledger.toml", text),
    textFile("audit.key", includesSigningKey ? (key?.pem ?? null) : null),
    ...noteFiles(root),
    ...modelFiles(root),
  ];
  return {
    files: files.filter((file) => file !== null),
    auditKey: key?.verifierKey ?? null,
    removedSettings: removed,
  };
}

function findReadableKey(root: string, auditKey: string | null) {
  try {
    return findSigningKey(root, auditKey);
  } catch {
    return null;
  }
}

/** Their first bytes: a running server appends to them. */
function noteFiles(root: string): readonly ArchiveSource[] {
  const folder = notesFolder(root);
  return globSync("*.notes", { cwd: folder })
    .toSorted()
    .filter((name) => /^[0-9a-f]{32}\.notes$/.test(name))
    .map((name) => {
      const path = join(folder, name);
      return { name: `checkpoints/${name}`, path, bytes: statSync(path).size };
    });
}

/** The copies of models. They are complete before a database belongs to them, and are never changed. */
function modelFiles(root: string): readonly ArchiveSource[] {
  const folder = modelCopiesFolder(root);
  return globSync(["*/*", "*/*/*"], { cwd: folder })
    .map((path) => ({ name: `models/${path.split(sep).join("/")}`, path: join(folder, path) }))
    .filter(({ name, path }) => isArchivable(name) && statSync(path).isFile())
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((file) => ({ ...file, bytes: statSync(file.path).size }));
}

function textFile(name: string, text: string | null): ArchiveSource | null {
  if (text === null) return null;
  const content = Buffer.from(text);
  return { name, bytes: content.length, content };
}

function readOptional(path: string): string | null {
  return existsSync(path) ? readRegularText(path, evidenceFileMaxBytes) : null;
}
