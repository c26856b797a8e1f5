// Owns the manifest of a backup: what the archive contains, of which installation, and how its files are verified. Pure.
// Must never contain a secret: a key is named by its verifier key, which is public.

import { parseUnambiguousJson } from "../../audit/verify/unambiguous-json.ts";
import type { ChainHead, DatabaseCopy } from "../../calls/storage/engine.ts";
import type { ModelBinding } from "../../calls/storage/model-change-store.ts";
import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";

/** The first member of the archive. */
export const manifestName = "manifest.json";
const formatName = "memledger-backup/v1";

/** A file in the archive. */
export interface ArchivedFile {
  /** Path in the data directory, with slashes. */
  readonly name: string;
  readonly bytes: number;
  /** 64 lower-case hexadecimal characters. */
  readonly sha256: string;
}

export interface Manifest {
  /** RFC 3339; the copy of the database has this state or a later one. */
  readonly createdAt: string;
  readonly memledger: { readonly version: string; readonly commit: string };
  readonly database: DatabaseCopy;
  /** Verifier key of the signing key in use; null if nothing was signed. */
  readonly auditKey: string | null;
  readonly includesSigningKey: boolean;
  /** Settings with secret values that were left out of memledger.toml. */
  readonly removedSettings: readonly string[];
  readonly files: readonly ArchivedFile[];
}

export function printManifest(manifest: Manifest): string {
  const { createdAt, memledger, database, auditKey, includesSigningKey, removedSettings, files } = manifest;
  const { format, model, installation, chains } = database;
  const text = {
    format: formatName,
    created_at: createdAt,
    memledger,
    database_format: format,
    installation,
    model,
    audit_key: auditKey,
    includes_signing_key: includesSigningKey,
    removed_settings: removedSettings,
    chains,
    files,
  };
  return `${JSON.stringify(text, null, 1)}\n`;
}

/** @returns the manifest, or why the text is none, as a clause */
export function parseManifest(text: string): Manifest | string {
  const value = parseUnambiguousJson(text);
  if (!isObject(value)) return "its manifest is not JSON, or names a member twice";
  if (value.format !== formatName) {
    return typeof value.format === "string" && value.format.startsWith("memledger-backup/")
      ? `its format ${JSON.stringify(value.format)} is unknown: use the version of memledger that wrote it, or a newer one`
      : "its manifest is not that of a memledger backup";
  }
  return toManifest(value) ?? "its manifest is incomplete";
}

/** The files that a backup may contain. Anything else in an archive was not put there by memledger. */
const fileName =
  /^(memledger\.db|memledger\.toml|audit\.(key|pub|rotations)|checkpoints\/[0-9a-f]{32}\.notes|models\/[0-9a-f]{64}(\/[A-Za-z0-9_][A-Za-z0-9._-]*){1,2})$/;

/** Whether a backup may contain a file with this path in the data directory. */
export function isArchivable(name: string): boolean {
  return fileName.test(name);
}

function toManifest(value: JsonObject): Manifest | null {
  const { created_at, memledger, audit_key, includes_signing_key } = value;
  const files = listOf(value.files, toFile);
  const chains = listOf(value.chains, toHead);
  const removedSettings = listOf(value.removed_settings, (name) => (typeof name === "string" ? name : null));
  const model = value.model === null ? null : toModel(value.model);
  if (typeof created_at !== "string" || !Number.isFinite(Date.parse(created_at))) return null;
  if (!isObject(memledger) || typeof includes_signing_key !== "boolean") return null;
  if (!isCount(value.database_format) || files === null || chains === null || removedSettings === null)
    return null;
  if (model === undefined || !isTextOrNull(value.installation) || !isTextOrNull(audit_key)) return null;
  const names = new Set(files.map(({ name }) => name));
  if (names.size !== files.length || !names.has("memledger.db")) return null;
  return {
    createdAt: created_at,
    memledger: { version: String(memledger.version), commit: String(memledger.commit) },
    database: { format: value.database_format, model, installation: value.installation, chains },
    auditKey: audit_key,
    includesSigningKey: includes_signing_key,
    removedSettings,
    files,
  };
}

function listOf<Item>(value: Json | undefined, toItem: (each: Json) => Item | null): readonly Item[] | null {
  if (!Array.isArray(value)) return null;
  const items: Item[] = [];
  for (const each of value) {
    const item = toItem(each);
    if (item === null) return null;
    items.push(item);
  }
  return items;
}

function toFile(value: Json): ArchivedFile | null {
  if (!isObject(value)) return null;
  const { name, bytes, sha256 } = value;
  if (typeof name !== "string" || !isArchivable(name) || !isCount(bytes) || !isHash(sha256)) return null;
  return { name, bytes, sha256 };
}

function toHead(value: Json): ChainHead | null {
  if (!isObject(value)) return null;
  const { chain, project, size, hash } = value;
  if (typeof chain !== "string" || !isTextOrNull(project) || !isCount(size) || !isHash(hash)) return null;
  return { chain, project, size, hash };
}

/** Undefined: it is none. */
function toModel(value: Json | undefined): ModelBinding | undefined {
  if (!isObject(value)) return undefined;
  const { id, sha256, dimensions } = value;
  if (typeof id !== "string" || typeof sha256 !== "string" || !isCount(dimensions)) return undefined;
  return { id, sha256, dimensions };
}

function isHash(value: Json | undefined): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isTextOrNull(value: Json | undefined): value is string | null {
  return value === null || typeof value === "string";
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
