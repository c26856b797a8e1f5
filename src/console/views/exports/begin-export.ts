// Owns beginning an export without a time from which it begins: it begins where the retention of the plan does.

import { useState } from "preact/hooks";
import { ApiError } from "../../../../clients/typescript/src/errors.ts";
import type { AuditExportRequest, ExportTask } from "../../../../clients/typescript/src/index.ts";
import type { ProjectClient } from "../../api/calls.ts";
import { useEvent } from "../../api/events.ts";
import { now } from "../../clock.ts";
import { allTime } from "../../parts/text/time-span.tsx";

const dayMs = 86_400_000;
const outsideRetention = 2201;

/** Of the plan of the project, in days; null: unlimited, or not known yet. */
export function useRetention(): number | null {
  const [days, setDays] = useState<number | null>(null);
  // The server is of the same version as the page. The project may be deleted.
  useEvent("project", (data) =>
    setDays((data as { project: { retention_days: number | null } | null }).project?.retention_days ?? null),
  );
  return days;
}

interface Begun extends Omit<AuditExportRequest, "start_time"> {
  /** Null: from the beginning. */
  readonly start: string | null;
  readonly retention: number | null;
  readonly signal?: AbortSignal;
}

/** @throws MemledgerError */
export async function beginExport(
  client: ProjectClient,
  { start, retention, signal, ...rest }: Begun,
): Promise<ExportTask> {
  const begin = (from: string) =>
    client.audit.export({ ...rest, start_time: from }, signal === undefined ? {} : { signal });
  const first = retention === null ? allTime.start : new Date(now() - retention * dayMs).toISOString();
  try {
    return await begin(start ?? first);
  } catch (error) {
    // The retention was not known, or the clocks differ.
    if (start !== null || !(error instanceof ApiError) || error.code !== outsideRetention) throw error;
    return begin(String(error.data.earliest));
  }
}
