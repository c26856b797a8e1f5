// Owns waiting until the server has written an export. The event stream says how far it is. Only where the stream is silent (a hidden tab,
// a proxy that holds it back) is the server asked, with a growing delay, because each such call adds a record.

import type { ExportDetail } from "../../../../clients/typescript/src/index.ts";
import type { ProjectClient } from "../../api/calls.ts";
import { listen } from "../../api/events.ts";

/** Records. */
export interface Written {
  readonly done: number;
  readonly total: number;
}

interface WaitOptions {
  readonly signal: AbortSignal;
  readonly onWritten: (written: Written) => void;
}

const firstSilenceMs = 5_000;
const silenceMaxMs = 60_000;

/** @throws MemledgerError, or Error when the export fails; the reason of the signal when it is aborted */
export async function waitForExport(
  client: ProjectClient,
  id: string,
  { signal, onWritten }: WaitOptions,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let silenceMs = firstSilenceMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = (found: ExportDetail | undefined) => {
    clearTimeout(timer);
    timer = setTimeout(ask, silenceMs);
    if (found === undefined) return;
    onWritten({ done: found.records, total: found.estimated_records });
    if (found.status === "completed") resolve();
    if (found.status === "failed")
      reject(new Error(`The export failed. ${found.error ?? ""} Verify the ledger again.`));
  };
  const ask = () => {
    silenceMs = Math.min(2 * silenceMs, silenceMaxMs);
    client.audit.exportStatus(id, { signal }).then(take, reject);
  };
  const stopListening = listen("exports", (data) =>
    take(exportsOf(data).find((made) => made.export_id === id)),
  );
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  take(undefined);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    stopListening();
    signal.removeEventListener("abort", abort);
  }
}

/** The server sends the list of exports. */
function exportsOf(data: unknown): readonly ExportDetail[] {
  return (data as { readonly exports: readonly ExportDetail[] }).exports;
}
