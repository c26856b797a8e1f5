// What happens: calls and latencies over time, by action and by error code, live. The tables have the numbers of the charts, for everybody
// who does not see them.

import { useMemo, useRef, useState } from "preact/hooks";
import { errorMeaning } from "../../../platform/errors.ts";
import { isAllowed } from "../../access.ts";
import { isLive, useEvent } from "../../api/events.ts";
import { Chart } from "../../parts/chart/chart.tsx";
import { Select } from "../../parts/field.tsx";
import { Loading } from "../../parts/progress.tsx";
import { Count, countOf, countText, durationText } from "../../parts/text/count.tsx";
import { Time } from "../../parts/text/time.tsx";
import { pathOf } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { CountTable } from "./count-table.tsx";
import { type Figures, joinFigures, type OperationCount, type Period, periodOf } from "./figures.ts";
import { isEvent, sum } from "./state.ts";

const periods = { "1h": "Last hour", "6h": "Last 6 hours", "24h": "Last 24 hours" };
const lengths: Readonly<Record<keyof typeof periods, readonly [seconds: number, intervals: number]>> = {
  "1h": [3_600, 60],
  "6h": [21_600, 72],
  "24h": [86_400, 96],
};

const isPeriod = (text: string | null): text is keyof typeof periods =>
  text !== null && Object.hasOwn(periods, text);

/** @param project its id; null: the installation */
export function Activity({ project }: { readonly project: string | null }) {
  const query = useQuery();
  const asked = query.get("period");
  const chosen = isPeriod(asked) ? asked : "1h";
  const joined = useRef<Figures | null>(null);
  const [figures, setFigures] = useState<Figures | null>(null);
  useEvent("figures", (data) => {
    if (!isEvent<Figures>(data, "operations") || data.project !== project) return;
    joined.current = joinFigures(joined.current, data);
    setFigures(joined.current);
  });
  const period = useMemo(
    () => (figures === null ? null : periodOf(figures, ...lengths[chosen])),
    [figures, chosen],
  );
  return (
    <section class="activity" aria-labelledby="activity">
      <header>
        <h2 id="activity">Activity</h2>
        <span class={isLive.value ? "badge good" : "badge"}>{isLive.value ? "Live" : "Connecting"}</span>
        {figures !== null && (
          <span class="quiet since">
            Counted since <Time at={figures.counting_since} />, also by the records of before the last start.
            {project !== null && isAllowed("audit.read") && (
              <>
                {" "}
                Earlier calls are in the <a href={pathOf("ledger", project)}>ledger</a>.
              </>
            )}
          </span>
        )}
        <Select
          label="Period"
          value={chosen}
          options={periods}
          onChange={(period) => query.set({ period: period === "1h" ? null : period }, "replace")}
        />
      </header>
      {period === null ? <Loading label="Waiting for figures" /> : <Charts period={period} />}
    </section>
  );
}

function Charts({ period }: { readonly period: Period }) {
  const { times, calls, latency, operations, codes, intervalSeconds } = period;
  const every = intervalSeconds === 60 ? "minute" : `${intervalSeconds / 60} minutes`;
  const total = sum(operations.map(({ count }) => count));
  const [refused, failed] = [
    sum(operations.map((each) => each.refused)),
    sum(operations.map((each) => each.failed)),
  ];
  const slowest = Math.max(0, ...latency.p95.map((value) => value ?? 0));
  const outcome = `${countOf(total, "call")}, ${countText(refused)} refused, ${countText(failed)} failed`;
  const highest = slowest === 0 ? "no calls" : `95 % of calls within ${durationText(slowest * 1_000)}`;
  return (
    <>
      <div class="charts">
        <div class="card">
          <h3>
            Calls per {every} <span>{outcome}</span>
          </h3>
          <Chart
            summary={`Calls per ${every}: ${outcome}.`}
            times={times}
            format={wholeText}
            series={[
              { label: "Performed", color: "--chart-1", values: calls.ok },
              { label: "Refused", color: "--chart-2", values: calls.refused },
              { label: "Failed", color: "--chart-5", values: calls.failed },
            ]}
          />
        </div>
        <div class="card">
          <h3>
            Latency <span>{highest}</span>
          </h3>
          <Chart
            summary={`Latency of calls: ${highest}.`}
            times={times}
            format={latencyText}
            series={[
              { label: "50 %", color: "--chart-3", values: latency.p50 },
              { label: "95 %", color: "--chart-1", values: latency.p95 },
              { label: "99 %", color: "--chart-4", values: latency.p99 },
            ]}
          />
        </div>
      </div>
      <div class="charts">
        <Operations operations={operations} />
        <Codes codes={codes} />
      </div>
    </>
  );
}

/** There are no parts of a call, but the axis has steps between. */
function wholeText(count: number): string {
  return Number.isInteger(count) ? countText(count) : "";
}

function latencyText(seconds: number): string {
  return durationText(seconds * 1_000);
}

function Operations({ operations }: Pick<Period, "operations">) {
  const most = operations[0]?.count ?? 1;
  return (
    <div class="card">
      <h3>Calls by action</h3>
      {operations.length === 0 ? (
        <p class="quiet none">No calls in this period.</p>
      ) : (
        <CountTable columns={["Action", "Calls", "Refused", "Failed"]}>
          {operations.map((each) => (
            <OperationRow key={each.name} operation={each} most={most} />
          ))}
        </CountTable>
      )}
    </div>
  );
}

function OperationRow({ operation, most }: { readonly operation: OperationCount; readonly most: number }) {
  const { name, count, refused, failed } = operation;
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
        <span class="share" style={{ width: `${(100 * count) / most}%` }} />
      </th>
      <td>
        <Count value={count} />
      </td>
      <td>{refused === 0 ? <span class="quiet">–</span> : <Count value={refused} />}</td>
      <td>{failed === 0 ? <span class="quiet">–</span> : <Count value={failed} />}</td>
    </tr>
  );
}

function Codes({ codes }: Pick<Period, "codes">) {
  return (
    <div class="card">
      <h3>Errors by code</h3>
      {codes.length === 0 ? (
        <p class="quiet none">No errors in this period.</p>
      ) : (
        <CountTable columns={["Code", "Answers"]}>
          {codes.map(({ code, count }) => (
            <tr key={code}>
              <th scope="row">
                <code>{code}</code> <span class="quiet">{meanings[code] ?? ""}</span>
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

/** The code of an answer is a text in figures, because it is the name of a member. */
const meanings: Readonly<Record<string, string>> = errorMeaning;
