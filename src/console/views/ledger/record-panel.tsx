// One audit record in full: its place in the chain, who called, what was asked, found and answered.

import type { AuditRecord, AuditRecordDetail } from "../../../../clients/typescript/src/index.ts";
import { Failure } from "../../parts/failure.tsx";
import { Loading } from "../../parts/progress.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { useData } from "../../parts/use-data.ts";
import { useProject } from "../../project.ts";
import type { Query } from "../../query.ts";
import { ChainOfThree } from "./chain.tsx";
import type { KnownLinks } from "./known-links.ts";
import { RecordContents } from "./record-contents.tsx";
import { RecordFacts } from "./record-facts.tsx";
import { SaveReceipt } from "./save-receipt.tsx";

interface RecordPanelProps {
  readonly id: string;
  /** The record as the list has it; null: it was opened by its address. */
  readonly listed: AuditRecord | null;
  readonly links: KnownLinks;
  readonly keyNames: ReadonlyMap<string, string>;
  readonly query: Query;
  /** Before the record is read, which adds a record. */
  readonly onRead: () => void;
  readonly onClose: () => void;
}

/** Someone who holds the key `j` passes many records: only the one where they stop is read. */
const pauseMs = 150;

export function RecordPanel({ id, listed, links, keyNames, query, onRead, onClose }: RecordPanelProps) {
  const { id: project, client } = useProject();
  const detail = useData(`${project} ${id}`, async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    signal.throwIfAborted();
    onRead();
    return client.audit.read(id, { signal });
  });
  const record: AuditRecord | AuditRecordDetail | null = detail.value ?? listed;
  return (
    <SidePanel title={record?.action ?? "Record"} shows={id} onClose={onClose}>
      <div class="record">
        {record !== null && (
          <>
            <ChainOfThree record={record} links={links} query={query} onRead={onRead} />
            <RecordFacts record={record} detail={detail.value ?? null} keyNames={keyNames} query={query} />
            {record.hash !== null && <SaveReceipt id={id} onRead={onRead} />}
          </>
        )}
        {detail.error !== null && <Failure error={detail.error} onRetry={detail.reload} />}
        {detail.isLoading && <Loading />}
        {detail.value !== undefined && <RecordContents record={detail.value} project={project} />}
      </div>
    </SidePanel>
  );
}
