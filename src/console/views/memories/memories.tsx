// The view of the memories of a project: a table with filters, and one memory in full beside it.

import { useMemo, useRef, useState } from "preact/hooks";
import { isAllowed } from "../../access.ts";
import type { ProjectClient } from "../../api/calls.ts";
import { shownSubject } from "../../location.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { NewButton } from "../../parts/new-button.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { createRows } from "../../parts/table/rows.ts";
import { nothingSelected, type Selection } from "../../parts/table/selection.ts";
import { Table } from "../../parts/table/table.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { pathOf, projectName, useProject } from "../../project.ts";
import { type QueryChanges, useQuery } from "../../query.ts";
import { SubjectLine } from "../subjects/subject-line.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { memoryChanges } from "./memory-changes.ts";
import { columnsOf } from "./memory-columns.tsx";
import { newMemory } from "./memory-fields.ts";
import { MemoryFilters } from "./memory-filters.tsx";
import { MemoryForm } from "./memory-form.tsx";
import { MemoryPanel } from "./memory-panel.tsx";
import {
  isFiltered,
  listQuery,
  type Memory,
  type MemoryQuery,
  noFilters,
  readQuery,
} from "./memory-query.ts";

const pageSize = 100;

export function Memories() {
  const { id: project, subject, owner, client } = useProject();
  const query = useQuery();
  const shown = readQuery(query);
  const { loaded, rows } = useMemoryRows(client, project, shown);
  const [{ rows: selectedIn, selection }, setSelected] = useState({ rows, selection: nothingSelected });
  // What was selected belongs to the filter that was shown then.
  const chosen = selectedIn === rows ? selection : nothingSelected;
  const select = (next: Selection) => setSelected({ rows, selection: next });

  const openId = query.get("memory");
  const open = useData(`${project} ${openId}`, async (signal): Promise<Memory> => {
    const id = openId ?? "";
    return loaded.get(id) ?? (await client.memories.read(id, { signal }));
  });
  // A change can end, or be undone, when other memories are shown than at its beginning.
  const current = useRef({ rows, open, openId });
  current.current = { rows, open, openId };
  const showChanged = (memory: Memory) => {
    const { current: now } = current;
    remember(loaded, [memory]);
    now.rows.replace(({ id }) => id === memory.id, memory);
    if (memory.id === now.openId) now.open.set(memory);
  };
  const go = (to: QueryChanges) => {
    if (location.pathname === pathOf("memories", project) && shownSubject() === subject)
      query.set({ ...to, edit: null, tab: null });
  };
  const changes = isAllowed("memory.write")
    ? memoryChanges(client, {
        changed: showChanged,
        created(memory) {
          remember(loaded, [memory]);
          current.current.rows.reload();
          go({ memory: memory.id, new: null });
        },
        removed(id) {
          loaded.delete(id);
          current.current.rows.reload();
          select(nothingSelected);
          if (id === current.current.openId) go({ memory: null });
        },
      })
    : null;
  const isCreating = query.get("new") !== null && changes !== null;
  const beginCreation = () => query.set({ new: "yes" });
  useShortcuts("Memory", [
    ...(openId === null
      ? []
      : [
          {
            keys: "Escape",
            label: "Close the panel",
            run: () => query.set({ memory: null, edit: null, tab: null }),
          },
        ]),
  ]);
  const openRow = ({ id }: Memory, edit: string | null) =>
    query.set({ memory: id, edit }, openId === null ? "push" : "replace");
  rows.version.value;

  return (
    <View
      title="Memories"
      of={projectName(project)}
      lead={subject === null ? undefined : <SubjectLine />}
      fills
      actions={changes !== null && <NewButton what="memory" group="Memories" onClick={beginCreation} />}
    >
      <MemoryFilters shown={shown} />
      {changes !== null && (
        <BulkBar
          selection={chosen}
          onSelect={select}
          total={rows.total()}
          filter={listQuery(shown)}
          loaded={loaded}
          onEnd={() => {
            loaded.clear();
            current.current.rows.reload();
            current.current.open.reload();
          }}
        />
      )}
      <div class="with-panel">
        <Table
          label="Memories"
          noun={["memory", "memories"]}
          columns={columnsOf(shown.origin)}
          rows={rows}
          idOf={({ id }) => id}
          nameOf={({ content }) => content.slice(0, 100)}
          sort={shown.sort}
          onSort={({ column, isDescending }) =>
            query.set({ sort: column, direction: isDescending ? null : "asc" })
          }
          openId={openId}
          onOpen={(memory) => openRow(memory, null)}
          {...(changes === null
            ? {}
            : {
                onEdit: (memory: Memory) => openRow(memory, "yes"),
                selection: chosen,
                onSelect: select,
              })}
          empty={<NoMemories shown={shown} onNew={changes === null ? null : beginCreation} />}
        />
        {openId !== null && <MemoryPanel key={openId} id={openId} data={open} changes={changes} />}
      </div>
      {isCreating && (
        <Dialog title="New memory" wide onClose={() => query.set({ new: null }, "replace")}>
          <SubjectLine />
          <MemoryForm
            name={`memory.new.${owner}`}
            initial={newMemory}
            isNew
            action="Store"
            store={changes.create}
            onClose={() => query.set({ new: null }, "replace")}
          />
        </Dialog>
      )}
    </View>
  );
}

function useMemoryRows(client: ProjectClient, project: string, shown: MemoryQuery) {
  const filter = JSON.stringify(listQuery(shown));
  const [loaded] = useState(() => new Map<string, Memory>());
  const rows = useMemo(
    () =>
      createRows<Memory>(async (cursor, signal) => {
        const page = await client.memories.list(
          { ...listQuery(shown), page_size: pageSize, cursor: cursor ?? undefined },
          { signal },
        );
        remember(loaded, page.memories);
        return { rows: page.memories, next: page.next_cursor, total: page.pagination.total };
      }),
    [project, filter],
  );
  return { loaded, rows };
}

function NoMemories({ shown, onNew }: { shown: MemoryQuery; onNew: (() => void) | null }) {
  const query = useQuery();
  if (isFiltered(shown))
    return (
      <Empty title="No memory matches">
        <p>Change the filters, or remove them.</p>
        <button type="button" onClick={() => query.set(noFilters)}>
          Remove the filters
        </button>
      </Empty>
    );
  if (shown.origin === "conversation")
    return (
      <Empty title="Nothing of conversations yet">
        <p>
          Hooks and the gateway store what is said in conversations, where they are configured to remember it.
        </p>
      </Empty>
    );
  return (
    <Empty title="No memories yet">
      <p>
        Store the first one here, connect an assistant to this project, or import what another program has
        remembered with <code>memledger memory import</code>.
      </p>
      {onNew !== null && (
        <button type="button" class="primary" onClick={onNew}>
          New memory
        </button>
      )}
    </Empty>
  );
}

/** The memories that were loaded last, so that opening one needs no call, and a change of many knows the previous values. */
const rememberedMax = 5_000;

function remember(loaded: Map<string, Memory>, memories: readonly Memory[]): void {
  for (const memory of memories) {
    loaded.delete(memory.id);
    loaded.set(memory.id, memory);
  }
  for (const id of loaded.keys()) {
    if (loaded.size <= rememberedMax) break;
    loaded.delete(id);
  }
}
