// Owns the rows of projects and keys, and what becomes of them. Changes nothing.

import { type Caller, callerFor } from "../../access/caller.ts";
import type { Key, Permission } from "../../access/key.ts";
import type { KeyGateway } from "../../access/key-gateway.ts";
import type { Project } from "../../access/project.ts";

export interface KeyRow extends Omit<Key, "id" | "name" | "createdAt" | "permissions" | "gateway"> {
  readonly keyId: string;
  readonly keyName: string;
  readonly keyCreatedAt: number;
  readonly permissions: string;
  /** JSON. */
  readonly gateway: string | null;
}

export interface CallerRow extends Project, KeyRow {
  readonly deletedAt: number | null;
}

/** A row of them is a Project. */
export const projectColumns =
  "p.id, p.name, p.plan, p.subscription, p.credits, p.memory_limit AS memoryLimit, p.passage_limit AS passageLimit, p.retention_days AS retentionDays, p.created_at AS createdAt";
export const keyColumns =
  "k.id AS keyId, k.name AS keyName, k.permissions, k.created_at AS keyCreatedAt, k.expires_at AS expiresAt, k.revoked_at AS revokedAt, k.last_used_at AS lastUsedAt, k.subject, k.gateway, k.token_epoch AS tokenEpoch";
/**
 * A key with its project. The bound value is in a subquery: SQLite plans a join again for each value that is bound to it directly, which
 * takes eight times as long as the query.
 */
export const callerBy = (column: "id" | "secret_digest") =>
  `SELECT ${projectColumns}, ${keyColumns}, p.deleted_at AS deletedAt FROM api_key k JOIN project p ON p.serial = k.project
   WHERE k.${column} = (SELECT ?)`;

export function toCaller(row: CallerRow): Caller {
  const isProjectDeleted = row.deletedAt !== null;
  return callerFor({ key: toKey(row), project: toProject(row), isProjectDeleted }, null);
}

/** Without what else the row has. */
function toProject(row: CallerRow): Project {
  const { id, name, plan, subscription, credits, memoryLimit, passageLimit, retentionDays, createdAt } = row;
  return { id, name, plan, subscription, credits, memoryLimit, passageLimit, retentionDays, createdAt };
}

export function toKey(row: KeyRow): Key {
  const { keyId: id, keyName: name, keyCreatedAt: createdAt, expiresAt, revokedAt, lastUsedAt } = row;
  const { subject, tokenEpoch } = row;
  const permissions = row.permissions.split(" ") as Permission[];
  const gateway = row.gateway === null ? null : (JSON.parse(row.gateway) as KeyGateway);
  const times = { createdAt, expiresAt, revokedAt, lastUsedAt };
  return { id, name, permissions, ...times, subject, gateway, tokenEpoch };
}

export function toText(gateway: KeyGateway | null): string | null {
  return gateway === null ? null : JSON.stringify(gateway);
}
