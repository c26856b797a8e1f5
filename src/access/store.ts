// Owns the interface of the storage engine for projects and keys.

import type { Caller } from "./caller.ts";
import type { Key, Permission } from "./key.ts";
import type { PlanName } from "./plan.ts";
import type { Project } from "./project.ts";

export interface AccessReader {
  /** The key with this SHA-256 and its project; revoked and expired keys too. */
  findCaller(secretDigest: Uint8Array): Promise<Caller | null>;
  /** The same by the id of the key. */
  findCallerOfKey(keyId: string): Promise<Caller | null>;
  /** By id or by name; null when there is none, or it was deleted. */
  findProject(idOrName: string): Promise<Project | null>;
  /** The current credits of the project; null: unlimited. */
  findCredits(project: Project): Promise<number | null>;
}

export interface NewProject {
  readonly name: string;
  readonly plan: PlanName;
  readonly subscription: Project["subscription"];
  readonly credits: number | null;
  readonly memoryLimit: number | null;
  readonly retentionDays: number | null;
}

export interface NewKey {
  readonly name: string;
  readonly secretDigest: Uint8Array;
  readonly permissions: readonly Permission[];
  readonly expiresAt: number | null;
}

export interface ProjectSummary {
  readonly project: Project;
  readonly memories: number;
  /** Keys that are neither revoked nor expired. */
  readonly keys: number;
}

export interface AccessTransaction {
  /** A key and its project. Locks the project's row and its chain, as Transaction.lock does. */
  findCaller(keyId: string): Promise<Caller | null>;
  insertProject(project: NewProject, now: number): Promise<Project>;
  /** By id or by name. Locks the project's row and its chain, as Transaction.lock does. */
  findProject(idOrName: string): Promise<Project | null>;
  listProjects(now: number): Promise<ProjectSummary[]>;
  updateProject(project: Project): Promise<void>;
  /** Revokes the keys and releases the name. The chain of the project is kept. */
  removeProject(project: Project, now: number): Promise<void>;
  insertKey(project: Project, key: NewKey, now: number): Promise<Key>;
  listKeys(project: Project): Promise<Key[]>;
  revokeKey(keyId: string, now: number): Promise<void>;
}
