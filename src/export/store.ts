// Owns what exports need from a storage engine.

import type { Project } from "../access/project.ts";
import type { Export, ExportFormat } from "./export.ts";

export interface ExportDraft {
  readonly format: ExportFormat;
  readonly startAt: number;
  readonly endAt: number;
  /** Records before it are left out; it may be after endAt. */
  readonly shownFrom: number;
  readonly verifiable: boolean;
}

export interface ExportTransaction {
  /**
   * Fixes which records belong to the export (up to the newest one before this call) and signs a checkpoint of the last of them.
   * The caller leaves `start_export` for after the commit.
   * @throws Refusal 2203 when the project has one that is processing.
   */
  begin(project: Project, draft: ExportDraft, now: number): Promise<Export>;
  /** Null when the project has no such export, or it has expired. */
  find(project: Project, id: string, now: number): Promise<Export | null>;
  /** Newest first. */
  list(project: Project, now: number): Promise<readonly Export[]>;
}

/** What the runner is told about an export after it has worked on it for a moment. */
export type ExportStep =
  | { readonly status: "processing"; readonly records: number }
  | {
      readonly status: "completed";
      readonly records: number;
      readonly bytes: number;
      readonly sha256: string;
    }
  | { readonly status: "failed"; readonly records: number; readonly error: string };

/** What becomes of an export in the store. */
export type ExportChange =
  | { readonly id: string; readonly step: ExportStep; readonly now: number }
  | { readonly forget: readonly string[] };

/** Does the work of exports in small steps, away from everybody else. */
export interface ExportEngine {
  /** Exports that are processing, oldest first. */
  pending(): Promise<readonly string[]>;
  /** Works on an export for a moment; after the last step it says the same until the store knows. */
  step(id: string): Promise<ExportStep>;
  /** Removes the files of exports that have expired, and what nobody works on any more. @returns the expired ones. */
  sweep(now: number): Promise<readonly string[]>;
  save(change: ExportChange): Promise<void>;
  close(): Promise<void>;
}
