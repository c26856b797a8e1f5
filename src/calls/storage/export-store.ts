// Owns the interface that exports need from a storage engine.

import type { Project } from "../../access/project.ts";
import type { Export, ExportFormat } from "../../audit/export/export.ts";
import type { RecordFilter } from "../../audit/record-filter.ts";

export interface ExportDraft {
  readonly format: ExportFormat;
  readonly startAt: number;
  readonly endAt: number;
  /** Older records are not exported; it may be after endAt. */
  readonly shownFrom: number;
  readonly verifiable: boolean;
  /** Null: all records of the range. */
  readonly filter: RecordFilter | null;
}

export interface ExportTransaction {
  /**
   * Creates an export, fixes its records (up to the newest one before this call) and signs a checkpoint of the last of them, or with a
   * filter of the newest record. The caller requests `start_export` after the commit.
   * @throws Refusal 2203 when the project has a running export, and 1503 with a filter, until the chain has a checkpoint of its tree.
   */
  begin(project: Project, draft: ExportDraft, now: number): Promise<Export>;
  /** Null when the project has no such export, or it has expired. */
  find(project: Project, id: string, now: number): Promise<Export | null>;
  /** Newest first. */
  list(project: Project, now: number): Promise<readonly Export[]>;
}

/** The state of an export after one step. */
export type ExportStep =
  | { readonly status: "processing"; readonly records: number }
  | {
      readonly status: "completed";
      readonly records: number;
      readonly bytes: number;
      readonly sha256: string;
    }
  | { readonly status: "failed"; readonly records: number; readonly error: string };

/** A change of an export in the store. */
export type ExportChange =
  | { readonly id: string; readonly step: ExportStep; readonly now: number }
  | { readonly forget: readonly string[] };

/** Writes exports in small steps, outside the threads that serve calls. */
export interface ExportEngine {
  /** Ids of the running exports, oldest first. */
  pending(): Promise<readonly string[]>;
  /** Runs one step of an export. After the last step it returns the same result until `save` has stored it. */
  step(id: string): Promise<ExportStep>;
  /** Removes the files of expired exports, and partial files of exports that are not running. @returns the ids of the expired ones. */
  removeExpired(now: number): Promise<readonly string[]>;
  save(change: ExportChange): Promise<void>;
  close(): Promise<void>;
}
