// All projects of the installation, for administrators: plans, credits, limits. `?open=` names the project beside the table.

import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import { administer } from "../../api/calls.ts";
import { Count } from "../../parts/count.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Icon } from "../../parts/icon.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { Loading } from "../../parts/progress.tsx";
import { createRows } from "../../parts/rows.ts";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Table } from "../../parts/table.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Time } from "../../parts/time.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { pathOf, readProjects } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { NewProject } from "./new-project.tsx";
import { type ProjectDetail, plans } from "./project-detail.ts";
import { ProjectPanel } from "./project-panel.tsx";

export function Projects() {
  const query = useQuery();
  const { route } = useLocation();
  const all = useData("", (signal) => administer<ProjectDetail[]>("project.list", {}, true, { signal }));
  const text = query.get("text") ?? "";
  const found = (all.value ?? []).filter(
    ({ id, name }) => name.toLowerCase().includes(text.trim().toLowerCase()) || id.startsWith(text.trim()),
  );
  const rows = useMemo(
    () => createRows<ProjectDetail>(async () => ({ rows: found, next: null, total: found.length })),
    [all.value, text],
  );
  const openId = query.get("open");
  const open = all.value?.find(({ id }) => id === openId);
  const create = () => query.set({ new: "project" });
  const changed = () => {
    all.reload();
    // The list in the navigation; its failure is shown there.
    readProjects().catch(() => undefined);
  };
  useShortcuts("Projects", [{ keys: "n", label: "New project", run: create }]);
  return (
    <View
      title="Projects"
      of="Installation"
      fills
      actions={
        <button type="button" class="primary" onClick={create}>
          <Icon name="plus" />
          New project
        </button>
      }
    >
      <div class="filters">
        <input
          type="search"
          aria-label="Find a project"
          placeholder="Find a project by name or id"
          value={text}
          onInput={({ currentTarget }) => query.set({ text: currentTarget.value }, "replace")}
        />
      </div>
      {all.error !== null && <Failure error={all.error} onRetry={all.reload} />}
      {all.value === undefined && all.isLoading && <Loading />}
      {all.value !== undefined && (
        <div class="with-panel">
          <Table
            label="Projects"
            noun={["project", "projects"]}
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            nameOf={({ name }) => name}
            openId={openId}
            onOpen={({ id }) => query.set({ open: id })}
            empty={
              <Empty title={text === "" ? "There are no projects" : "No project has this name"}>
                <p>
                  {text === ""
                    ? "Create one for each team or product."
                    : "Change the text, or create a project."}
                </p>
              </Empty>
            }
          />
          {open !== undefined && (
            <ProjectPanel
              key={open.id}
              project={open}
              onClose={() => query.set({ open: null })}
              onChanged={changed}
            />
          )}
        </div>
      )}
      {query.get("new") === "project" && (
        <NewProject
          onClose={() => query.set({ new: null }, "replace")}
          onCreated={({ id, name }) => {
            changed();
            query.set({ new: null, open: id }, "replace");
            const run = () => route(`${pathOf("keys", id)}?new=key`);
            showMessage({ text: `The project ${name} is created.`, action: { label: "Create a key", run } });
          }}
        />
      )}
    </View>
  );
}

const columns: readonly Column<ProjectDetail>[] = [
  { name: "name", title: "Name", narrow: "title", cell: ({ name }) => <bdi>{name}</bdi> },
  {
    name: "plan",
    title: "Plan",
    width: "9rem",
    cell: ({ plan, subscription }) => (
      <>
        <span class="badge accent">{plans[plan]}</span>{" "}
        {subscription === "expired" && <span class="badge danger">Expired</span>}
      </>
    ),
  },
  {
    name: "memories",
    title: "Memories",
    width: "7rem",
    align: "end",
    narrow: "hidden",
    cell: ({ memories }) => <Count value={memories} />,
  },
  {
    name: "keys",
    title: "Keys",
    width: "5rem",
    align: "end",
    narrow: "hidden",
    cell: ({ keys }) => <Count value={keys} />,
  },
  {
    name: "credits",
    title: "Credits",
    width: "7rem",
    align: "end",
    narrow: "hidden",
    cell: ({ credits }) => <Count value={credits} none="Unlimited" />,
  },
  {
    name: "created_at",
    title: "Created",
    width: "11rem",
    narrow: "hidden",
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];
