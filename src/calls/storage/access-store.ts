// Owns the interface of the storage engine for projects, keys, administration keys, and sessions of the console.

import type { AdministrationKey } from "../../access/administration-key.ts";
import type { Caller } from "../../access/caller.ts";
import type { Key } from "../../access/key.ts";
import type { Project } from "../../access/project.ts";
import type { KnownSession, Session, SignInLink } from "../../access/session.ts";

export interface AccessReader {
  /** The key with this SHA-256 and its project; revoked and expired keys too. */
  findCaller(secretDigest: Uint8Array): Promise<Caller | null>;
  /** The same by the id of the key. */
  findCallerOfKey(keyId: string): Promise<Caller | null>;
  /** The keys of the project with this id that have this name, the oldest first; revoked and expired ones too. */
  findCallersNamed(projectId: string, keyName: string): Promise<Caller[]>;
  /** The administration key with this SHA-256; a revoked or expired one too. */
  findAdministrationKey(secretDigest: Uint8Array): Promise<AdministrationKey | null>;
  /** The session with this SHA-256 of its secret; an expired one too, until it is removed. */
  findSession(secretDigest: Uint8Array): Promise<KnownSession | null>;
  /** The link with this SHA-256 of its secret; a used or expired one too, until it is removed. */
  findSignInLink(secretDigest: Uint8Array): Promise<SignInLink | null>;
  /** By id or by name; null when there is none, or it was deleted. */
  findProject(idOrName: string): Promise<Project | null>;
  /** The current credits of the project; null: unlimited. */
  findCredits(project: Project): Promise<number | null>;
}

export type NewProject = Omit<Project, "id" | "createdAt">;

export interface NewKey extends Pick<Key, "name" | "permissions" | "expiresAt" | "subject" | "gateway"> {
  readonly secretDigest: Uint8Array;
}

export interface NewAdministrationKey extends Pick<AdministrationKey, "name" | "expiresAt"> {
  readonly secretDigest: Uint8Array;
}

export interface NewSession extends Omit<Session, "id" | "lastUsedAt" | "createdAt"> {
  readonly secretDigest: Uint8Array;
}

export interface NewSignInLink extends Pick<SignInLink, "administrator" | "expiresAt"> {
  readonly secretDigest: Uint8Array;
}

export interface ProjectSummary {
  readonly project: Project;
  /** Without passages. */
  readonly memories: number;
  readonly passages: number;
  /** Keys that are neither revoked nor expired. */
  readonly keys: number;
}

/** Which projects are listed. */
export interface ProjectQuery {
  /** Part of the name, or beginning of the id, in any case; "": all. */
  readonly text: string;
  /** Id of the project behind which the list begins, also if it was deleted; null: the first one. Only in the order of creation. */
  readonly after: string | null;
  /** By creation, the oldest first, or by the number of memories, the largest first. */
  readonly order: "created_at" | "memories";
  readonly limit: number;
}

export interface AccessTransaction {
  /** A key and its project. Locks the project's row and its chain, as Transaction.lock does. */
  findCaller(keyId: string): Promise<Caller | null>;
  insertProject(project: NewProject, now: number): Promise<Project>;
  /** By id or by name. Locks the project's row and its chain, as Transaction.lock does. */
  findProject(idOrName: string): Promise<Project | null>;
  /** @returns null: no project has ever had the id `after` */
  listProjects(query: ProjectQuery, now: number): Promise<ProjectSummary[] | null>;
  updateProject(project: Project): Promise<void>;
  /** Revokes the keys and releases the name. The chain of the project is kept. */
  removeProject(project: Project, now: number): Promise<void>;
  insertKey(project: Project, key: NewKey, now: number): Promise<Key>;
  listKeys(project: Project): Promise<Key[]>;
  /** Replaces the settings of the key for requests to the gateway. */
  updateKey(key: Pick<Key, "id" | "gateway">): Promise<void>;
  revokeKey(keyId: string, now: number): Promise<void>;
  insertAdministrationKey(key: NewAdministrationKey, now: number): Promise<AdministrationKey>;
  findAdministrationKey(id: string): Promise<AdministrationKey | null>;
  /** The oldest first. */
  listAdministrationKeys(): Promise<AdministrationKey[]>;
  revokeAdministrationKey(id: string, now: number): Promise<void>;
  /** Stores when the key was last used. */
  touchAdministrationKey(id: string, now: number): Promise<void>;
  /** Begins another epoch of the tokens of the key. @param keyId null: of each key */
  revokeTokens(keyId: string | null): Promise<void>;
  insertSession(session: NewSession, now: number): Promise<Session>;
  findSession(id: string): Promise<KnownSession | null>;
  /** The oldest first; expired ones too, until they are removed. */
  listSessions(): Promise<KnownSession[]>;
  removeSession(id: string): Promise<void>;
  insertSignInLink(link: NewSignInLink, now: number): Promise<SignInLink>;
  findSignInLink(id: string): Promise<SignInLink | null>;
  /** The oldest first; used and expired ones too, until they are removed. */
  listSignInLinks(): Promise<SignInLink[]>;
  useSignInLink(id: string, now: number): Promise<void>;
  removeSignInLink(id: string): Promise<void>;
}
