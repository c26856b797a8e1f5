// The history of a memory as the ledger has it: the calls that named it, newest first. Each can be opened: what it changed, who sent it,
// and a way back to that version. Opening one reads its record, which is a record of the ledger itself.

import { useState } from "preact/hooks";
import type { AuditRecord } from "../../../../clients/typescript/src/generated/models.ts";
import { CopyText } from "../../parts/copy-text.tsx";
import { countText } from "../../parts/count.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Loading } from "../../parts/progress.tsx";
import { Time } from "../../parts/time.tsx";
import { useData } from "../../parts/use-data.ts";
import { pathOf, useProject } from "../../project.ts";
import { ChangedFields } from "./changed-fields.tsx";
import { readVersion, type Version, versionActions } from "./history-version.ts";
import type { MemoryChanges } from "./memory-changes.ts";
import { toFields, toUpdate } from "./memory-fields.ts";
import type { Memory } from "./memory-query.ts";

interface HistoryProps {
  readonly id: string;
  /** Undefined: it was deleted, or is not loaded yet. */
  readonly memory: Memory | undefined;
  readonly changes: MemoryChanges | null;
}

export function History({ id, memory, changes }: HistoryProps) {
  const { id: project, client } = useProject();
  const [more, setMore] = useState<readonly AuditRecord[]>([]);
  const [cursor, setCursor] = useState<string | null | undefined>(undefined);
  const [failure, setFailure] = useState<unknown>(null);
  const first = useData(`${project} ${id}`, (signal) => client.audit.list({ memory_id: id }, { signal }));
  const records = [...(first.value?.logs ?? []), ...more];
  const next = cursor === undefined ? (first.value?.next_cursor ?? null) : cursor;
  const loadMore = async () => {
    try {
      const page = await client.audit.list({ memory_id: id, cursor: next ?? undefined });
      setMore([...more, ...page.logs]);
      setCursor(page.next_cursor);
      setFailure(null);
    } catch (error) {
      setFailure(error);
    }
  };
  if (first.error !== null) return <Failure error={first.error} onRetry={first.reload} />;
  if (first.value === undefined) return <Loading />;
  return (
    <div class="history">
      {records.length === 0 && (
        <p class="quiet">
          No call has named this memory. It was stored together with others, by an import or an extraction.
        </p>
      )}
      <ol>
        {records.map((record, index) => (
          <Entry
            key={record.id}
            record={record}
            former={records.slice(index + 1).find(isVersion) ?? null}
            memory={memory}
            changes={changes}
          />
        ))}
      </ol>
      {failure !== null && <Failure error={failure} />}
      {next !== null && (
        <button type="button" onClick={() => void loadMore()}>
          Show older records
        </button>
      )}
    </div>
  );
}

const verbs: Readonly<Record<string, string>> = {
  "memory.create": "Created",
  "memory.update": "Changed",
  "memory.read": "Read",
  "memory.delete": "Deleted",
};

function isVersion({ action, is_success }: AuditRecord): boolean {
  return is_success && versionActions.has(action);
}

interface EntryProps {
  readonly record: AuditRecord;
  /** The record of the version before; null: there is none, or it is not loaded. */
  readonly former: AuditRecord | null;
  readonly memory: Memory | undefined;
  readonly changes: MemoryChanges | null;
}

function Entry({ record, former, memory, changes }: EntryProps) {
  const [isOpen, setOpen] = useState(false);
  const { action, is_success, created_at, error_code } = record;
  return (
    <li data-changes={isVersion(record)}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <strong>{verbs[action] ?? action}</strong>
          {!is_success && <span class="badge danger">refused with {error_code}</span>}
          <Time at={created_at} />
        </summary>
        {isOpen && <Opened record={record} former={former} memory={memory} changes={changes} />}
      </details>
    </li>
  );
}

function Opened({ record, former, memory, changes }: EntryProps) {
  const { client } = useProject();
  const { value, error, reload } = useData(`${record.id} ${former?.id}`, async (signal) => {
    const [version, before] = await Promise.all([
      readVersion(client, record.id, signal),
      isVersion(record) && former !== null ? readVersion(client, former.id, signal) : null,
    ]);
    return { version, before };
  });
  if (error !== null) return <Failure error={error} onRetry={reload} />;
  if (value === undefined) return <Loading />;
  const { version, before } = value;
  const { fields } = version;
  const back = fields !== null && memory !== undefined ? toUpdate(toFields(memory), fields) : null;
  return (
    <div class="opened">
      {isVersion(record) && <Change version={version} before={before} />}
      <dl class="facts">
        {version.client !== null && (
          <>
            <dt>Client</dt>
            <dd>
              <bdi>{version.client}</bdi>
            </dd>
          </>
        )}
        <dt>From</dt>
        <dd>
          <bdi>{record.ip_address ?? "–"}</bdi>
        </dd>
        <dt>API key</dt>
        <dd>{record.key_id === null ? "–" : <CopyText text={record.key_id} what="the id of the key" />}</dd>
        <dt>Record</dt>
        <dd>
          <a href={`${pathOf("ledger")}?${new URLSearchParams({ record: record.id })}`}>
            {countText(record.seq)} in the ledger
          </a>
        </dd>
      </dl>
      {isVersion(record) && back !== null && memory !== undefined && changes !== null && (
        <RestoreButton restore={() => changes.update(memory, back, "The version was restored.")} />
      )}
    </div>
  );
}

function Change({ version, before }: { readonly version: Version; readonly before: Version | null }) {
  const { fields } = version;
  if (fields === null)
    return (
      <p class="quiet">The payload of this record was erased or has expired, so its text is not known.</p>
    );
  if (before?.fields) return <ChangedFields before={before.fields} after={fields} />;
  return (
    <p class="content-text" dir="auto">
      {fields.content}
    </p>
  );
}

function RestoreButton({ restore }: { readonly restore: () => Promise<void> }) {
  const [error, setError] = useState<unknown>(null);
  return (
    <>
      {error !== null && <Failure error={error} />}
      <button type="button" onClick={() => void restore().catch(setError)}>
        Restore this version
      </button>
    </>
  );
}
