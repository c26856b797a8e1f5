// The overview of one project: its memories by type and tag, its plan and how much of it is used, its ledger, and what happens.

import { useState } from "preact/hooks";
import { isAllowed } from "../../access.ts";
import { readOfConsole } from "../../api/calls.ts";
import { useEvent } from "../../api/events.ts";
import { Failure } from "../../parts/failure.tsx";
import { Loading } from "../../parts/progress.tsx";
import { Count, countOf, countText, dollarsText } from "../../parts/text/count.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { pathOf, projectName, useProject } from "../../project.ts";
import { isAdministrator } from "../../session.ts";
import { Activity } from "./activity.tsx";
import { CountTable } from "./count-table.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { HealthBadge } from "./overview.tsx";
import { isEvent, type MemoryCounts, type ProjectState, type ServerState, sum } from "./state.ts";
import { MemoryTypes, Tile, Used } from "./tile.tsx";

export function ProjectOverview() {
  const { id } = useProject();
  const [project, setProject] = useState<ProjectState | null | undefined>();
  const [memories, setMemories] = useState<MemoryCounts | null>(null);
  const [newest, setNewest] = useState<number | null>(null);
  const [server, setServer] = useState<ServerState | null>(null);
  useEvent("project", (data) => {
    if (isEvent<{ project: ProjectState | null }>(data, "project")) setProject(data.project);
  });
  useEvent("memories", (data) => {
    if (isEvent<{ memories: MemoryCounts }>(data, "memories")) setMemories(data.memories);
  });
  useEvent("records", (data) => {
    if (isEvent<{ newest_sequence: number }>(data, "newest_sequence")) setNewest(data.newest_sequence);
  });
  useEvent("state", (data) => {
    if (isEvent<ServerState>(data, "health")) setServer(data);
  });
  const count = memories === null ? null : sum(Object.values(memories));
  return (
    <View title="Overview" of={projectName(id)} actions={<HealthBadge health={server?.health ?? null} />}>
      {project === undefined && <Loading label="Waiting for the server" />}
      {project === null && <p>The project does not exist any more. Choose another one.</p>}
      {project && server !== null && count === 0 && (
        <FirstSteps project={id} dataDir={server.installation?.server.data_directory ?? null} />
      )}
      {project && <Tiles project={project} memories={memories} newest={newest} />}
      <Activity project={id} />
      {project && count !== null && count > 0 && (
        <div class="charts">
          <TagCounts />
        </div>
      )}
    </View>
  );
}

interface TilesProps {
  readonly project: ProjectState;
  /** Null: not known, or the key has no permission to read memories. */
  readonly memories: MemoryCounts | null;
  /** Null: not known, or the key has no permission to read it. */
  readonly newest: number | null;
}

function Tiles({ project, memories, newest }: TilesProps) {
  const { id, memory_limit: limit, credits, plan, subscription, rate } = project;
  return (
    <div class="cards tiles">
      {memories !== null && <MemoriesTile memories={memories} limit={limit} />}
      {newest !== null && (
        <Tile title="Newest record" figure={countText(newest)}>
          <a href={pathOf("ledger", id)}>Open the ledger</a>
        </Tile>
      )}
      {isAllowed("audit.read") && <CostTile project={id} />}
      <Tile title="Credits" figure={credits === null ? "Unlimited" : countText(credits)}>
        <p class="quiet">for extractions</p>
      </Tile>
      <Tile title="Plan" figure={<span class="plan">{plan}</span>}>
        <p class="quiet">
          {subscription === "active" ? "Subscription active" : "Subscription expired"}
          {rate === null
            ? ", no rate limit"
            : `, ${countText(rate.per_second)} calls per second for each key`}
        </p>
      </Tile>
      <Tile
        title="Records are kept"
        figure={project.retention_days === null ? "Forever" : `${countText(project.retention_days)} days`}
      >
        <p class="quiet">
          {project.includes_export ? "With exports" : "Without exports"}
          {project.includes_hash ? ", with hashes" : ", without hashes"}
          {isAdministrator.value && (
            <>
              {". "}
              <a href={`${pathOf("projects")}?open=${id}`}>Change</a>
            </>
          )}
        </p>
      </Tile>
    </div>
  );
}

/** As GET /console/api/costs answers it. */
interface Costs {
  /** The shortest span first. */
  readonly costs: readonly Readonly<{
    days: number;
    calls: number;
    usd: number;
    calls_without_cost: number;
  }>[];
}

/** What language models have cost through the gateway; nothing where it is not used. */
function CostTile({ project }: { readonly project: string }) {
  const { value } = useData(project, (signal) => readOfConsole<Costs>("costs", { signal }, { project }));
  const [last, all] = value?.costs ?? [];
  if (last === undefined || all === undefined || all.calls === 0) return null;
  const { calls, usd, calls_without_cost: unknown } = all;
  return (
    <Tile title={`Model costs, ${all.days} days`} figure={unknown === calls ? "Unknown" : dollarsText(usd)}>
      <p class="quiet">
        {unknown < calls &&
          `Estimated from ${countOf(calls - unknown, "answer")}, ${dollarsText(last.usd)} in the last 24 hours. `}
        {unknown > 0 && `The settings have no price for ${countOf(unknown, "answer")}.`}
      </p>
    </Tile>
  );
}

interface MemoriesTileProps {
  readonly memories: MemoryCounts;
  /** Null: unlimited. */
  readonly limit: number | null;
}

function MemoriesTile({ memories, limit }: MemoriesTileProps) {
  // Passages have a limit of their own, above which the oldest are deleted.
  const { passage: _, ...kept } = memories;
  const count = sum(Object.values(kept));
  return (
    <Tile title="Memories" figure={countText(count)}>
      <MemoryTypes memories={memories} />
      {limit !== null && (
        <>
          <Used label="Memories of the limit" value={count} of={limit} />
          <p class="quiet">of at most {countText(limit)}</p>
        </>
      )}
    </Tile>
  );
}

const shownTagsMax = 12;

/** It is an operation of the project, so it is read once, and not with each event. */
function TagCounts() {
  const { id, client } = useProject();
  const page = useData(id, (signal) => client.memories.tags({ page_size: shownTagsMax }, { signal }));
  const tags = page.value?.tags ?? [];
  const most = tags[0]?.count ?? 1;
  return (
    <div class="card">
      <h3>
        Memories by tag{" "}
        {page.value !== undefined && <span>{countText(page.value.pagination.total)} tags</span>}
      </h3>
      {page.error !== null && <Failure error={page.error} onRetry={page.reload} />}
      {page.isLoading && <Loading />}
      {page.value !== undefined && tags.length === 0 && <p class="quiet none">No memory has a tag.</p>}
      {tags.length > 0 && (
        <CountTable columns={["Tag", "Memories"]}>
          {tags.map(({ tag, count }) => (
            <tr key={tag}>
              <th scope="row">
                <a href={`${pathOf("memories", id)}?${new URLSearchParams({ tag })}`}>
                  <bdi>{tag}</bdi>
                </a>
                <span class="share" style={{ width: `${(100 * count) / most}%` }} />
              </th>
              <td>
                <Count value={count} />
              </td>
            </tr>
          ))}
        </CountTable>
      )}
    </div>
  );
}
