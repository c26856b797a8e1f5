// The audit records of a project: filters, a list of any length, and one record in full beside it.

import { useMemo, useRef, useState } from "preact/hooks";
import type { AuditRecord } from "../../../../clients/typescript/src/index.ts";
import { isAllowed } from "../../access.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { createRows } from "../../parts/table/rows.ts";
import { Table } from "../../parts/table/table.tsx";
import { countOf } from "../../parts/text/count.tsx";
import { View } from "../../parts/view.tsx";
import { pathOf, projectName, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { columnsOf } from "./columns.tsx";
import { withoutConsoleReads } from "./console-reads.tsx";
import { isFiltered, isGapless, noFilter, type RecordFilter, readFilter, toListQuery } from "./filter.ts";
import { Filters } from "./filters.tsx";
import { useKeyNames } from "./key-names.ts";
import { createKnownLinks } from "./known-links.ts";
import { useNewRecords } from "./new-records.ts";
import { usePosition } from "./position.ts";
import { createLoader } from "./record-pages.ts";
import { RecordPanel } from "./record-panel.tsx";

export function Ledger() {
  const { id, client } = useProject();
  const query = useQuery();
  const filter = readFilter(query);
  const keyNames = useKeyNames(id);
  const news = useNewRecords();
  const links = useMemo(createKnownLinks, [id]);
  /** What the list knew of the record that was opened. */
  const chosen = useRef<AuditRecord | null>(null);
  const hidden = withoutConsoleReads(query);
  const listQuery = { ...toListQuery(filter), ...hidden };
  const [round, setRound] = useState(0);
  const reload = () => setRound(round + 1);
  const name = JSON.stringify([id, listQuery, round]);
  const rows = useMemo(() => createRows(createLoader({ client, listQuery, links, news })), [name]);
  const openId = query.get("record");
  const positionError = usePosition(query, news.expectOne);
  const close = () => query.set({ record: null });
  useShortcuts("Ledger", [
    { keys: "r", label: "Load the list again", run: reload },
    ...(openId === null ? [] : [{ keys: "Escape", label: "Close the record", run: close }]),
  ]);
  return (
    <View
      title="Ledger"
      of={projectName(id)}
      fills
      actions={
        <>
          {news.count > 0 && (
            <button type="button" class="new-records" onClick={reload}>
              {countOf(news.count, "new record")}
            </button>
          )}
          {isAllowed("audit.export") && (
            <>
              <a class="button" href={pathOf("proof", id)}>
                Verify
              </a>
              <a class="button" href={`${pathOf("exports", id)}?${exportQuery(filter)}`}>
                Export
              </a>
            </>
          )}
        </>
      }
    >
      {positionError !== null && <Failure error={positionError} />}
      <Filters filter={filter} query={query} keyNames={keyNames} onRead={news.expectOne} />
      <div class="with-panel ledger" data-gapless={isGapless(filter) && !("without_console_reads" in hidden)}>
        <Table
          label="Records"
          noun={["record", "records"]}
          columns={useMemo(() => columnsOf(keyNames), [keyNames])}
          rows={rows}
          idOf={(record) => record.id}
          nameOf={({ action, seq }) => `record ${seq}, ${action}`}
          openId={openId}
          onOpen={(record) => {
            chosen.current = record;
            query.set({ record: record.id }, openId === null ? "push" : "replace");
          }}
          empty={<NoRecords isFiltered={isFiltered(filter)} onClear={() => query.set(noFilter)} />}
        />
        {openId !== null && (
          <RecordPanel
            id={openId}
            listed={chosen.current?.id === openId ? chosen.current : null}
            links={links}
            keyNames={keyNames}
            query={query}
            onRead={news.expectOne}
            onClose={close}
          />
        )}
      </div>
    </View>
  );
}

/** Begins an export of the records that are listed. */
function exportQuery(filter: RecordFilter): URLSearchParams {
  const values = Object.entries(toListQuery(filter)).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)]),
  );
  return new URLSearchParams([["new", "1"], ...values]);
}

function NoRecords({
  isFiltered: isOfFilter,
  onClear,
}: {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}) {
  if (!isOfFilter)
    return (
      <Empty title="No records yet">
        <p>
          Each call of an operation appends one. Search for something, or connect an assistant. Reads in the
          console may be hidden.
        </p>
      </Empty>
    );
  return (
    <Empty title="No record matches the filters">
      <p>The plan of the project also limits how old records are that can be listed.</p>
      <button type="button" onClick={onClear}>
        Show all records
      </button>
    </Empty>
  );
}
