// Owns the rows of projects and keys, and what becomes of them. Changes nothing.

import { type Caller, callerFor } from "../../access/caller.ts";
import type { Key, Permission } from "../../access/key.ts";
import type { KeyGateway } from "../../access/key-gateway.ts";
import type { PlanName } from "../../access/plan.ts";
import type { Project } from "../../access/project.ts";

export interface ProjectRow {
  id: string;
  name: string;
  plan: PlanName;
  subscription: Project["subscription"];
  credits: number | null;
  memory_limit: number | null;
  passage_limit: number | null;
  retention_days: number | null;
  created_at: number;
}

export interface KeyRow {
  key_id: string;
  key_name: string;
  permissions: string;
  key_created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  subject: string | null;
  gateway: string | null;
  token_epoch: number;
}

export interface CallerRow extends ProjectRow, KeyRow {
  deleted_at: number | null;
}

export const projectColumns =
  "p.id, p.name, p.plan, p.subscription, p.credits, p.memory_limit, p.passage_limit, p.retention_days, p.created_at";
export const keyColumns =
  "k.id AS key_id, k.name AS key_name, k.permissions, k.created_at AS key_created_at, k.expires_at, k.revoked_at, k.last_used_at, k.subject, k.gateway, k.token_epoch";
/**
 * A key with its project. The bound value is in a subquery: SQLite plans a join anew for each value that is bound to it directly, which
 * takes eight times as long as the query.
 */
export const callerBy = (column: "id" | "secret_digest") =>
  `SELECT ${projectColumns}, ${keyColumns}, p.deleted_at FROM api_key k JOIN project p ON p.serial = k.project
   WHERE k.${column} = (SELECT ?)`;

export function toCaller(row: CallerRow): Caller {
  const isProjectDeleted = row.deleted_at !== null;
  return callerFor({ key: toKey(row), project: toProject(row), isProjectDeleted }, null);
}

export function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    subscription: row.subscription,
    credits: row.credits,
    memoryLimit: row.memory_limit,
    passageLimit: row.passage_limit,
    retentionDays: row.retention_days,
    createdAt: row.created_at,
  };
}

export function toKey(row: KeyRow): Key {
  return {
    id: row.key_id,
    name: row.key_name,
    permissions: row.permissions.split(" ") as Permission[],
    createdAt: row.key_created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    subject: row.subject,
    gateway: row.gateway === null ? null : (JSON.parse(row.gateway) as KeyGateway),
    tokenEpoch: row.token_epoch,
  };
}

export function toText(gateway: KeyGateway | null): string | null {
  return gateway === null ? null : JSON.stringify(gateway);
}
