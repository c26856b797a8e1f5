// The exports of a project: begin one, see its progress, download the file and its manifest until they are removed.

import { useEffect, useState } from "preact/hooks";
import type { ExportDetail } from "../../../../clients/typescript/src/index.ts";
import { isLive, useEvent } from "../../api/events.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Loading } from "../../parts/progress.tsx";
import { View } from "../../parts/view.tsx";
import { pathOf, projectName, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { noFilter, readFilter } from "../ledger/filter.ts";
import { useRetention } from "./begin-export.ts";
import { ExportDialog } from "./export-dialog.tsx";
import { ExportItem } from "./export-item.tsx";

/** The event stream sends the list at once. Where a proxy holds it back, the list is read with a call, which is recorded. */
const streamWaitMs = 4_000;

export function Exports() {
  const { id, client } = useProject();
  const [exports, setExports] = useState<readonly ExportDetail[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const query = useQuery();
  const isBeginning = query.get("new") !== null;
  const read = () =>
    client.audit.exportList().then(
      (list) => {
        setExports(list.exports);
        setError(null);
      },
      (failure: unknown) => setError(failure),
    );
  const retentionDays = useRetention();
  useEvent("exports", (data) => setExports(exportsOf(data)));
  useEffect(() => {
    if (exports !== null) return;
    const timer = setTimeout(() => void read(), streamWaitMs);
    return () => clearTimeout(timer);
  }, [exports === null]);
  const begin = (
    <button type="button" class="primary" onClick={() => query.set({ new: "1" })}>
      New export
    </button>
  );
  return (
    <View
      title="Exports"
      of={projectName(id)}
      lead="Files of audit records, each with a signed manifest. With a plan that shows hashes, an auditor can verify them without this server."
      actions={begin}
    >
      {error !== null && <Failure error={error} onRetry={() => void read()} />}
      {exports === null && error === null && <Loading />}
      {exports?.length === 0 && (
        <Empty title="No exports">
          <p>
            An export has the records of a span of time. Its file is kept for seven days.{" "}
            <a href={pathOf("file-proof")}>Verify one that you have</a>.
          </p>
          {begin}
        </Empty>
      )}
      {exports !== null && exports.length > 0 && (
        <ul class="exports" aria-label="Exports">
          {exports.map((made) => (
            <ExportItem key={made.export_id} made={made} />
          ))}
        </ul>
      )}
      {isBeginning && (
        <ExportDialog
          retentionDays={retentionDays}
          filter={readFilter(query)}
          // The event stream tells of it.
          onBegun={() => isLive.value || void read()}
          onClose={() => query.set({ new: null, ...noFilter }, "replace")}
        />
      )}
    </View>
  );
}

/** The server sends the same list as it answers a call with. */
function exportsOf(data: unknown): readonly ExportDetail[] {
  return (data as { readonly exports: readonly ExportDetail[] }).exports;
}
