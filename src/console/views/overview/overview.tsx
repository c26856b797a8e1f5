// The overview of the installation: what is there, what happens, health, and what needs the attention of a person.

import { useState } from "preact/hooks";
import { useEvent } from "../../api/events.ts";
import { Loading } from "../../parts/progress.tsx";
import { bytesText, Count, countOf, countText } from "../../parts/text/count.tsx";
import { Fact } from "../../parts/text/fact.tsx";
import { Time } from "../../parts/text/time.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { listProjects, pathOf, projectId } from "../../project.ts";
import { Activity } from "./activity.tsx";
import { Confirmations } from "./confirmations.tsx";
import { CountTable } from "./count-table.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { type Health, type InstallationState, isEvent, type ServerState, sum } from "./state.ts";
import { MemoryTypes, Tile, Used } from "./tile.tsx";
import { WarningList } from "./warning-list.tsx";

export function Overview() {
  const [state, setState] = useState<ServerState | null>(null);
  useEvent("state", (data) => {
    if (isEvent<ServerState>(data, "health")) setState(data);
  });
  const installation = state?.installation ?? null;
  return (
    <View title="Overview" of="Installation" actions={<HealthBadge health={state?.health ?? null} />}>
      {installation === null ? <Loading label="Waiting for the server" /> : <Contents state={installation} />}
      <Activity project={null} />
      {installation !== null && <Details state={installation} />}
    </View>
  );
}

/** @param health null: not known yet */
export function HealthBadge({ health }: { readonly health: Health | null }) {
  if (health === null) return <span class="badge">Health unknown</span>;
  if (health.ready) return <span class="badge good">Healthy</span>;
  return <span class="badge danger">Not ready: {health.reasons.join("; ")}</span>;
}

function Contents({ state }: { readonly state: InstallationState }) {
  const { contents, storage, ledger, backup, warnings } = state;
  const memories = sum(Object.values(contents?.memories ?? {}));
  const { disk, directory } = storage;
  return (
    <>
      <WarningList warnings={warnings} />
      {contents !== null && memories === 0 && (
        <FirstSteps project={projectId.value} dataDir={state.server.data_directory} />
      )}
      <div class="cards tiles">
        <Tile title="Memories" figure={contents === null ? "–" : countText(memories)}>
          <MemoryTypes memories={contents?.memories ?? {}} />
        </Tile>
        <Tile title="Ledger records" figure={contents === null ? "–" : countText(contents.records)}>
          <p class="quiet">{countText(ledger.unsigned_records ?? 0)} not covered by a checkpoint yet</p>
        </Tile>
        <Tile title="Data on disk" figure={directory === null ? "–" : bytesText(directory.bytes)}>
          {disk !== null && (
            <>
              <Used label="Disk in use" value={disk.total_bytes - disk.free_bytes} of={disk.total_bytes} />
              <p class="quiet">
                {bytesText(disk.free_bytes)} of {bytesText(disk.total_bytes)} free
              </p>
            </>
          )}
        </Tile>
        <Tile title="Last checkpoint" figure={<Time at={ledger.checkpoint_at} none="None yet" ago />}>
          <p class="quiet">
            Verified <Time at={ledger.verified_at} none="not since the start" ago />
          </p>
        </Tile>
        <Tile title="Last backup" figure={<Time at={backup.last?.at ?? null} none="None" ago />}>
          <p class="quiet">
            {backup.last === null ? "" : `${bytesText(backup.last.bytes)}. `}
            {backup.schedule === null
              ? "No schedule"
              : `Every ${countOf(Math.round(backup.schedule.every_seconds / 3_600), "hour")}`}
          </p>
        </Tile>
      </div>
    </>
  );
}

function Details({ state }: { readonly state: InstallationState }) {
  return (
    <div class="charts">
      <ProjectTable />
      <ServerFacts state={state} />
      <Confirmations confirmations={state.ledger.confirmations} />
    </div>
  );
}

const shownProjectsMax = 8;

function ProjectTable() {
  const first = useData("", (signal) =>
    listProjects({ sort_by: "memories", page_size: shownProjectsMax }, signal),
  ).value;
  if (first === undefined || first.length === 0) return null;
  return (
    <div class="card">
      <h3>
        Projects <a href={pathOf("projects")}>All</a>
      </h3>
      <CountTable columns={["Project", "Memories", "Keys"]}>
        {first.map(({ id, name, memories = null, keys = null }) => (
          <tr key={id}>
            <th scope="row">
              <a href={pathOf("project-overview", id)}>
                <bdi>{name}</bdi>
              </a>
            </th>
            <td>
              <Count value={memories} />
            </td>
            <td>
              <Count value={keys} />
            </td>
          </tr>
        ))}
      </CountTable>
    </div>
  );
}

function ServerFacts({ state }: { readonly state: InstallationState }) {
  const { server, model, search, tls, storage } = state;
  const parts = Object.entries(storage.directory?.parts ?? {}).sort(([, left], [, right]) => right - left);
  return (
    <div class="card">
      <h3>Server</h3>
      <dl class="facts">
        <Fact name="Version" value={server.version} />
        <Fact name="Running since" value={<Time at={server.started_at} />} />
        <Fact name="Data directory" value={<code>{server.data_directory}</code>} />
        <Fact name="Embedding model" value={model.id} />
        <Fact
          name="Search indexes"
          value={
            <>
              {countText(search.indexes)} in memory, {bytesText(search.index_bytes)} of{" "}
              {bytesText(search.limit_bytes)}
            </>
          }
        />
        <Fact name="TLS certificate" value={tls === null ? "None" : <Time at={tls.expires_at} />} />
        {parts.slice(0, 4).map(([name, bytes]) => (
          <Fact key={name} name={<code>{name}</code>} class="count" value={bytesText(bytes)} />
        ))}
      </dl>
    </div>
  );
}
