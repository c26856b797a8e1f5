// Owns getting the whole ledger of a project from the server: an export of all records, its manifest, and the newest checkpoint.

import type { Memledger } from "../../../../clients/typescript/src/client.ts";
import { ApiError } from "../../../../clients/typescript/src/errors.ts";
import type { Checkpoint, ExportTask } from "../../../../clients/typescript/src/index.ts";
import { projectHeader } from "../../api/request-headers.ts";
import { type KeptCheckpoint, readKept } from "../../verification/kept-checkpoint.ts";
import type { VerificationRequest } from "../../verification/messages.ts";

export interface ProjectLedger {
  readonly request: VerificationRequest;
  /** Signed before the export, so the export has all its records. */
  readonly newest: Checkpoint;
  readonly kept: KeptCheckpoint | null;
}

/** Before every record, after every record. */
const [start, end] = ["1970-01-01T00:00:00Z", "9999-12-31T00:00:00Z"];
const outsideRetention = 2201;
const [firstWaitMs, waitMaxMs] = [100, 2_000];

/** @throws MemledgerError, or Error when the export fails */
export async function readProjectLedger(
  project: string,
  client: Memledger,
  signal: AbortSignal,
): Promise<ProjectLedger> {
  const newest = await client.audit.checkpoint({ signal });
  const { export_id: id } = await begin(client, signal);
  await written(client, id, signal);
  const manifest = await (await client.audit.exportManifest(id, { signal })).text();
  const kept = readKept(project);
  return {
    newest,
    kept,
    request: {
      name: `audit-${id}.json`,
      source: {
        kind: "download",
        path: `/v1/audit/logs/export/${encodeURIComponent(id)}/download`,
        headers: { [projectHeader]: project },
      },
      manifest,
      publicKey: kept?.publicKey ?? newest.public_key,
      rotations: "",
      checkpoints: kept === null ? [] : [{ name: "the checkpoint that this browser keeps", text: kept.note }],
      isWhole: true,
      remarks: kept === null ? [firstTime] : [],
    },
  };
}

const firstTime =
  "The public key came from this server. Compare it with a copy that was kept elsewhere. This browser now keeps the key and a checkpoint, and compares the ledger with them the next time.";

async function begin(client: Memledger, signal: AbortSignal): Promise<ExportTask> {
  const span = { end_time: end, format: "json" } as const;
  try {
    return await client.audit.export({ start_time: start, ...span }, { signal });
  } catch (error) {
    const earliest =
      error instanceof ApiError && error.code === outsideRetention ? error.data.earliest : null;
    if (typeof earliest !== "string") throw error;
    return client.audit.export({ start_time: earliest, ...span }, { signal });
  }
}

async function written(client: Memledger, id: string, signal: AbortSignal): Promise<void> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, waitMaxMs)) {
    const { status, error } = await client.audit.exportStatus(id, { signal });
    if (status === "completed") return;
    if (status === "failed") throw new Error(`The export failed. ${error ?? ""} Verify again.`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
