// All projects of the installation, for administrators: plans, credits, limits. `?open=` names the project beside the table.

import { useMemo } from "preact/hooks";
import { route } from "../../location.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { NewButton } from "../../parts/new-button.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { createRows, type LoadPage } from "../../parts/table/rows.ts";
import { Table } from "../../parts/table/table.tsx";
import type { Column } from "../../parts/table/types.ts";
import { Count } from "../../parts/text/count.tsx";
import { Time } from "../../parts/text/time.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { listProjects, pathOf } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { NewProject } from "./new-project.tsx";
import { type ProjectDetail, plans } from "./project-detail.ts";
import { ProjectPanel } from "./project-panel.tsx";

export function Projects() {
  const query = useQuery();
  const text = query.get("text") ?? "";
  const rows = useMemo(() => createRows(loadPage(text.trim())), [text]);
  const openId = query.get("open");
  // The beginning of an id finds its project, wherever it is in the list.
  const open = useData(openId ?? "", async (signal) =>
    openId === null
      ? undefined
      : (await listProjects<ProjectDetail>({ text: openId, page_size: pageSize }, signal)).find(
          ({ id }) => id === openId,
        ),
  );
  const create = () => query.set({ new: "project" });
  const changed = () => {
    rows.reload();
    open.reload();
  };
  return (
    <View
      title="Projects"
      of="Installation"
      fills
      actions={<NewButton what="project" group="Projects" onClick={create} />}
    >
      <div class="filters">
        <SearchField
          label="Find a project by name or id"
          text={text}
          onPause={(next) => query.set({ text: next }, "replace")}
        />
      </div>
      {open.error !== null && <Failure error={open.error} onRetry={open.reload} />}
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
        {open.value !== undefined && (
          <ProjectPanel
            key={open.value.id}
            project={open.value}
            onClose={() => query.set({ open: null })}
            onChanged={changed}
          />
        )}
      </div>
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

const pageSize = 100;

/** The cursor of a page is the last project of the page before. */
const loadPage =
  (text: string): LoadPage<ProjectDetail> =>
  async (cursor, signal) => {
    const query = { text, page_size: pageSize, after: cursor ?? undefined };
    const rows = await listProjects<ProjectDetail>(query, signal);
    const next = rows.length < pageSize ? null : (rows.at(-1)?.id ?? null);
    return { rows, next, total: next === null && cursor === null ? rows.length : null };
  };

const columns: readonly Column<ProjectDetail>[] = [
  {
    name: "name",
    title: "Name",
    width: 12,
    grows: true,
    narrow: "title",
    cell: ({ name }) => <bdi>{name}</bdi>,
  },
  {
    name: "plan",
    title: "Plan",
    width: 9,
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
    width: 7,
    align: "end",
    narrow: "hidden",
    cell: ({ memories }) => <Count value={memories} />,
  },
  {
    name: "keys",
    title: "Keys",
    width: 5,
    align: "end",
    narrow: "hidden",
    cell: ({ keys }) => <Count value={keys} />,
  },
  {
    name: "credits",
    title: "Credits",
    width: 7,
    align: "end",
    narrow: "hidden",
    cell: ({ credits }) => <Count value={credits} none="Unlimited" />,
  },
  {
    name: "created_at",
    title: "Created",
    width: 11,
    narrow: "hidden",
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];
