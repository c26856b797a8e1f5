// The checks of a project: performs all of them, says which fail and where the memory is now, opens one in the lab, deletes one.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Check, CheckResult } from "../../../../clients/typescript/src/index.ts";
import { isAllowed } from "../../access.ts";
import { route } from "../../location.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure, readFailure } from "../../parts/failure.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { Loading, Progress } from "../../parts/progress.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { createRows } from "../../parts/table/rows.ts";
import { Table } from "../../parts/table/table.tsx";
import type { Column } from "../../parts/table/types.ts";
import { useData } from "../../parts/use-data.ts";
import { linkTo, pathOf, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { addressOf, useLongQuery } from "./check-address.ts";

/** A check, and its result; null: it was not performed yet. */
interface Row {
  readonly check: Check;
  readonly result: CheckResult | null;
}

export function Checks() {
  const { id: project, client } = useProject();
  const query = useQuery();
  const long = useLongQuery();
  const open = ({ check, result }: Row) => {
    const address = addressOf(check, result);
    if (address.has("long")) long.set(check.query);
    route(`${pathOf("search")}?${address}`);
  };
  const all = useData(project, async (signal) => (await client.checks.list({ signal })).checks);
  // How often the checks were to be performed. A link from another view begins with once.
  const [round, setRound] = useState(query.get("run") === null ? 0 : 1);
  const run = useData(`${project} ${round}`, async (signal) =>
    round === 0 ? null : client.checks.run({ signal }),
  );
  useEffect(() => query.set({ run: null }, "replace"), []);
  const performAll = () => setRound(round + 1);
  useShortcuts("Checks", [{ keys: "r", label: "Run all checks", run: performAll }]);
  const rows = useMemo(() => {
    const results = new Map(run.value?.results.map((each) => [each.check_id, each]));
    const shown = (all.value ?? [])
      .map((check) => ({ check, result: results.get(check.id) ?? null }))
      .sort((left, right) => Number(left.result?.passed ?? true) - Number(right.result?.passed ?? true));
    return createRows<Row>(async () => ({ rows: shown, next: null, total: shown.length }));
  }, [all.value, run.value]);
  const remove = async ({ id, memory: _, created_at: __, ...saved }: Check) => {
    try {
      await client.checks.delete(id);
      all.reload();
      const restore = () => void client.checks.create(saved).then(all.reload, report);
      showMessage({ text: "The check was deleted.", action: { label: "Undo", run: restore } });
    } catch (error) {
      report(error);
    }
  };
  const isRunning = run.isLoading && round > 0;
  return (
    <div class="checks">
      <div class="filters">
        <Button
          type="button"
          class="primary"
          isOff={isRunning || all.value?.length === 0}
          onClick={performAll}
        >
          Run all checks
        </Button>
        {run.value && (
          <span role="status">
            <span class="badge good">{run.value.passed} passed</span>{" "}
            {run.value.failed > 0 && <span class="badge danger">{run.value.failed} failed</span>}
          </span>
        )}
      </div>
      {isRunning && (
        <Progress label="Running the checks" done={0} total={null} onCancel={() => setRound(0)} />
      )}
      {run.error !== null && <Failure error={run.error} onRetry={run.reload} />}
      {all.error !== null && <Failure error={all.error} onRetry={all.reload} />}
      {all.value === undefined && all.isLoading && <Loading />}
      {all.value !== undefined && (
        <Table
          label="Checks"
          noun={["check", "checks"]}
          columns={
            isAllowed("memory.write") ? [...columns, deletion((check) => void remove(check))] : columns
          }
          rows={rows}
          idOf={({ check }) => check.id}
          nameOf={({ check }) => check.query}
          onOpen={open}
          empty={
            <Empty title="No checks yet">
              <p>
                A check is a search with the memory that it must find. Search for something, and save a hit
                with its button “Check…”. After a change of memories or of the model, run all checks.
              </p>
            </Empty>
          }
        />
      )}
    </div>
  );
}

const columns: readonly Column<Row>[] = [
  {
    name: "query",
    title: "Query",
    width: 14,
    grows: true,
    narrow: "title",
    cell: ({ check, result }) => (
      <>
        {result !== null && <Outcome result={result} />}
        <bdi>{check.query.slice(0, shownMaxCharacters)}</bdi>
      </>
    ),
  },
  {
    name: "memory",
    title: "Must find",
    width: 12,
    grows: true,
    cell: ({ check: { memory, expected_memory_id: id } }) =>
      memory === null ? (
        <span class="quiet">a deleted memory</span>
      ) : (
        <a href={linkTo("memories", { memory: id, subject: memory.subject ?? null })}>
          <bdi>{memory.content.slice(0, shownMaxCharacters)}</bdi>
        </a>
      ),
  },
  {
    name: "within",
    title: "Among",
    width: 9,
    narrow: "hidden",
    cell: ({ check: { within, mode } }) => `first ${within}, ${mode}`,
  },
  {
    name: "position",
    title: "Now",
    width: 11,
    cell: ({ result }) => (result === null ? <span class="quiet">–</span> : placeText(result)),
  },
];

/** A row is one line. */
const shownMaxCharacters = 200;

function Outcome({ result }: { readonly result: CheckResult }) {
  return (
    <span class={`badge state ${result.passed ? "good" : "danger"}`}>
      {result.passed ? "passed" : "failed"}
    </span>
  );
}

const reasonTexts: Readonly<Record<CheckResult["reasons"][number], string>> = {
  deleted: "deleted",
  type: "another type",
  tags: "other tags",
  inactive: "inactive",
  expired: "expired",
  below_floor: "below the minimum",
  rank: "behind others",
};

function placeText({ position, reasons }: CheckResult): string {
  if (position !== null) return `place ${position}`;
  return reasons.map((reason) => reasonTexts[reason]).join(", ");
}

function deletion(remove: (check: Check) => void): Column<Row> {
  return {
    name: "delete",
    title: "Action",
    width: 5,
    align: "end",
    cell: ({ check }) => (
      <button
        type="button"
        class="link"
        aria-label={`Delete the check: ${check.query.slice(0, shownMaxCharacters)}`}
        onClick={() => remove(check)}
      >
        Delete
      </button>
    ),
  };
}

function report(error: unknown): void {
  showMessage({ kind: "warning", text: readFailure(error).text });
}
