// Owns getting the whole ledger of a project from the server: an export of all records, its manifest, the newest checkpoint, and the
// statements about changes of the signing key.

import { ApiError } from "../../../../clients/typescript/src/errors.ts";
import type { Checkpoint, ExportTask } from "../../../../clients/typescript/src/index.ts";
import { type ProjectClient, readOfConsole } from "../../api/calls.ts";
import { projectHeader } from "../../api/request-headers.ts";
import { allTime } from "../../parts/text/time-span.tsx";
import type { BrowserCheckpoint } from "../../verification/browser-checkpoint.ts";
import type { VerificationRequest } from "../../verification/messages.ts";
import { evidenceOf, type Supplied } from "../../verification/supplied-evidence.tsx";
import { beginExport } from "../exports/begin-export.ts";
import { type Written, waitForExport } from "./written-export.ts";

export interface ProjectLedger {
  readonly request: VerificationRequest;
  /** Signed before the export, so the export has all its records. */
  readonly newest: Checkpoint;
}

interface LedgerOptions {
  readonly kept: BrowserCheckpoint | null;
  readonly supplied: Supplied;
  /** Of the plan of the project, in days; null: unlimited, or not known. */
  readonly retention: number | null;
  readonly signal: AbortSignal;
  readonly onWritten: (written: Written) => void;
}

const inProgress = 2203;

/** @throws MemledgerError, or Error when the export fails */
export async function readProjectLedger(
  project: string,
  client: ProjectClient,
  options: LedgerOptions,
): Promise<ProjectLedger> {
  const { kept, supplied, signal } = options;
  const newest = await client.audit.checkpoint({ signal });
  const { export_id: id } = await begin(client, options);
  await waitForExport(client, id, options);
  const manifest = await (await client.audit.exportManifest(id, { signal })).text();
  const { key_changes: changes } = await readOfConsole<KeyChanges>("key-changes", { signal });
  const { publicKey, rotations, checkpoints } = evidenceOf(supplied);
  const known = publicKey ?? kept?.publicKey ?? null;
  return {
    newest,
    request: {
      name: `audit-${id}.json`,
      source: {
        kind: "download",
        path: `/v1/audit/logs/export/${encodeURIComponent(id)}/download`,
        headers: { [projectHeader]: project },
      },
      manifest,
      publicKey: known ?? newest.public_key,
      rotations: [...changes, rotations].join("\n"),
      checkpoints: [
        ...(kept === null ? [] : [{ name: "the checkpoint that this browser keeps", text: kept.note }]),
        ...checkpoints,
      ],
      policy: null,
      isWhole: true,
      remarks: known === null ? [firstTime] : [],
    },
  };
}

interface KeyChanges {
  /** Signed notes, the oldest first. */
  readonly key_changes: readonly string[];
}

const firstTime =
  "The public key came from this server. Compare it with a copy that was kept elsewhere. This browser now keeps the key and a checkpoint, and compares the ledger with them the next time.";

/** Of all records that the plan of the project keeps, after an export that the server still writes. */
async function begin(client: ProjectClient, options: LedgerOptions): Promise<ExportTask> {
  const { signal, retention } = options;
  try {
    return await beginExport(client, {
      start: null,
      end_time: allTime.end,
      format: "json",
      retention,
      signal,
    });
  } catch (error) {
    const isRunning = error instanceof ApiError && error.code === inProgress;
    if (!isRunning || typeof error.data.export_id !== "string") throw error;
    await waitForExport(client, error.data.export_id, options);
    return begin(client, options);
  }
}
