// The checkpoints that the server has signed of a project: save them elsewhere, or have another one signed. They are read when the list is
// opened, because each call adds a record.

import { useState } from "preact/hooks";
import type { StoredCheckpoint } from "../../../../clients/typescript/src/index.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { countText } from "../../parts/text/count.tsx";
import { Time } from "../../parts/text/time.tsx";
import { useProject } from "../../project.ts";
import { saveFile } from "../../save-file.ts";
import { ConfirmedBy } from "./confirmed-by.tsx";

const pageSize = 20;

interface Listed {
  readonly rows: readonly StoredCheckpoint[];
  /** Null: there are no older ones. */
  readonly next: string | null;
}

export function CheckpointList() {
  const { id, client } = useProject();
  const [{ rows, next }, setListed] = useState<Listed>({ rows: [], next: null });
  const [error, setError] = useState<unknown>(null);
  const [isLoading, setLoading] = useState(false);
  const run = async (work: () => Promise<unknown>) => {
    setLoading(true);
    setError(null);
    await work().catch(setError);
    setLoading(false);
  };
  const load = (before: readonly StoredCheckpoint[], cursor: string | null) =>
    run(async () => {
      const from = cursor === null ? {} : { cursor };
      const page = await client.audit.checkpointList({ ...from, page_size: pageSize });
      setListed({ rows: [...before, ...page.checkpoints], next: page.next_cursor });
    });
  const save = (note: string, size: number) => saveFile(new Response(note), `checkpoint-${id}-${size}.txt`);
  const sign = () =>
    run(async () => {
      const { note, size } = await client.audit.checkpoint();
      await save(note, size);
      await load([], null);
    });
  return (
    <details class="compare" onToggle={({ currentTarget }) => currentTarget.open && void load([], null)}>
      <summary>Checkpoints of this project</summary>
      <div class="checked-files">
        <p class="quiet">
          A checkpoint is signed from time to time, and before each export. Keep some where nobody with access
          to the server can change them.
        </p>
        {error !== null && <Failure error={error} onRetry={() => void load([], null)} />}
        <ul class="checkpoints" aria-label="Checkpoints" aria-busy={isLoading}>
          {rows.map(({ size, note, timestamp, created_at: at, signed_by: signer }) => (
            <li key={size}>
              <span class="count">{countText(size)} records</span>
              <Time at={at} />
              <code class="quiet">{signer}</code>
              <button type="button" aria-label={`Save ${size}`} onClick={() => void save(note, size)}>
                Save
              </button>
              <ConfirmedBy note={note} isStamped={timestamp !== undefined} />
            </li>
          ))}
        </ul>
        <div class="actions">
          {next !== null && (
            <Button type="button" isOff={isLoading} onClick={() => void load(rows, next)}>
              Show older ones
            </Button>
          )}
          <Button type="button" isOff={isLoading} onClick={() => void sign()}>
            Sign and save one now
          </Button>
        </div>
      </div>
    </details>
  );
}
