// Owns an address that names a record by its position in the chain, as verdicts do: `?seq=15`. The API knows records by their ids, so the
// list is read at this place, and the address gets the id.

import { useEffect, useState } from "preact/hooks";
import type { ProjectClient } from "../../api/calls.ts";
import { showMessage } from "../../parts/messages.tsx";
import { countText } from "../../parts/text/count.tsx";
import { useProject } from "../../project.ts";
import type { Query } from "../../query.ts";

/**
 * @param onRead before each call
 * @returns why the record cannot be opened; null: it can, or the address names no position
 */
export function usePosition({ get, set }: Query, onRead: () => void): unknown {
  const { id: project, client } = useProject();
  const [error, setError] = useState<unknown>(null);
  const named = get("seq");
  useEffect(() => {
    setError(null);
    if (named === null) return;
    const stopped = new AbortController();
    findAt(client, Number(named), onRead, stopped.signal).then(
      (record) => {
        if (stopped.signal.aborted) return;
        if (record.seq !== Number(named))
          showMessage({
            kind: "warning",
            text: `Record ${countText(Number(named))} is missing. This is the record before it.`,
          });
        set({ seq: null, record: record.id }, "replace");
      },
      (failure: unknown) => {
        if (!stopped.signal.aborted) setError(failure);
      },
    );
    return () => stopped.abort();
  }, [project, named]);
  return error;
}

interface Place {
  readonly id: string;
  readonly seq: number;
}

/** The record at a position, or the one before it if it is missing. @throws Error when the list does not have it */
async function findAt(
  client: ProjectClient,
  seq: number,
  onRead: () => void,
  signal: AbortSignal,
): Promise<Place> {
  const page = async (number: number): Promise<Place | undefined> => {
    onRead();
    const { logs } = await client.audit.list({ page: number, page_size: 1 }, { signal });
    return logs[0];
  };
  const newest = await page(1);
  // Positions have no gaps, so the page of a position is a subtraction. The list stays as its first page found it.
  const found =
    newest === undefined || !(seq >= 1 && seq < newest.seq) ? newest : await page(newest.seq - seq + 1);
  if (found !== undefined && found.seq <= seq) return found;
  throw new Error(
    `The list has no record ${seq}. Retention has removed it, or the plan of the project limits how old records are that can be listed.`,
  );
}
