// A page with every part of the console, for tests of the parts themselves: a table of a million rows, a form, messages, a chart.

import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useDraft } from "../../../src/console/drafts.ts";
import { HelpDialog, isHelpOpen } from "../../../src/console/frame/help-dialog.tsx";
import { Chart } from "../../../src/console/parts/chart/chart.tsx";
import { Confirm } from "../../../src/console/parts/dialog.tsx";
import { Empty } from "../../../src/console/parts/empty.tsx";
import { Failure } from "../../../src/console/parts/failure.tsx";
import { Field, Select, Switch } from "../../../src/console/parts/field.tsx";
import { Messages, showMessage } from "../../../src/console/parts/messages.tsx";
import { Progress } from "../../../src/console/parts/progress.tsx";
import { handleKey, useShortcuts } from "../../../src/console/parts/shortcuts.ts";
import { SidePanel } from "../../../src/console/parts/side-panel.tsx";
import { createRows, type Page } from "../../../src/console/parts/table/rows.ts";
import {
  nothingSelected,
  type Selection,
  selectedCount,
} from "../../../src/console/parts/table/selection.ts";
import { Table } from "../../../src/console/parts/table/table.tsx";
import type { Column, Sort } from "../../../src/console/parts/table/types.ts";
import { Tabs } from "../../../src/console/parts/tabs.tsx";
import { CopyText } from "../../../src/console/parts/text/copy-text.tsx";
import { Count, countText } from "../../../src/console/parts/text/count.tsx";
import { Difference } from "../../../src/console/parts/text/difference.tsx";
import { TagInput, Tags } from "../../../src/console/parts/text/tag-input.tsx";
import { Time } from "../../../src/console/parts/text/time.tsx";
import { View } from "../../../src/console/parts/view.tsx";

interface Row {
  readonly id: string;
  readonly text: string;
  readonly importance: number;
  readonly tags: readonly string[];
  readonly at: number;
}

const rowCount = 1_000_000;
const pageSize = 100;
const start = Date.UTC(2026, 10, 22, 19, 0, 0);
/** What tests read. */
const loads: number[] = [];
Reflect.set(globalThis, "galleryLoads", loads);
let failures = 0;
Reflect.set(globalThis, "failNextLoads", (count: number) => {
  failures = count;
});

const hostile = ["<img src=x onerror=alert(1)>", "\u202Egnp.exe", "plain", "<b>bold</b>"];

async function load(cursor: string | null): Promise<Page<Row>> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (failures > 0) {
    failures -= 1;
    throw new Error("the gallery fails on purpose");
  }
  const from = cursor === null ? 0 : Number(cursor);
  loads.push(from);
  const rows = Array.from({ length: Math.min(pageSize, rowCount - from) }, (_, offset): Row => {
    const number = from + offset;
    return {
      id: `row-${number}`,
      text: `Memory ${countText(number)}: ${number % 7 === 0 ? (hostile[number % 4] ?? "") : "Dana prefers tea in the morning, and coffee after lunch."}`,
      importance: (number % 10) / 10,
      tags: number % 3 === 0 ? ["user:dana", "drinks"] : ["office"],
      at: start - number * 61_000,
    };
  });
  const next = from + pageSize;
  return { rows, next: next < rowCount ? String(next) : null, total: rowCount };
}

const columns: readonly Column<Row>[] = [
  {
    name: "content",
    title: "Memory",
    width: 16,
    grows: true,
    cell: ({ text }) => <bdi>{text}</bdi>,
    narrow: "title",
  },
  { name: "tags", title: "Tags", width: 11, cell: ({ tags }) => <Tags tags={tags} /> },
  {
    name: "importance",
    title: "Importance",
    width: 7,
    align: "end",
    cell: ({ importance }) => importance.toFixed(1),
    isSortable: true,
    narrow: "hidden",
  },
  {
    name: "created_at",
    title: "Created",
    width: 11,
    cell: ({ at }) => <Time at={at} />,
    isSortable: true,
  },
];

const rows = signal(createRows(load));
const noText = (value: unknown): value is string => typeof value === "string";

function Gallery() {
  useEffect(() => {
    addEventListener("keydown", handleKey);
  }, []);
  useShortcuts("Everywhere", [
    { keys: "?", label: "Show the shortcuts", run: () => (isHelpOpen.value = true) },
  ]);
  const shown = location.hash === "" ? "table" : location.hash.slice(1);
  return (
    <>
      <div class="frame" data-alone="false">
        <nav class="navigation" aria-label="Console" />
        <div class="page">
          <main id="main">
            {shown === "table" && <Million />}
            {shown === "parts" && <Parts />}
            {shown === "empty" && (
              <View title="Nothing">
                <Empty title="No memories yet">
                  <p>Store the first one, or import what another program has remembered.</p>
                  <CopyText form="block" what="the command" text="memledger import chats.json" />
                  <button type="button" class="primary">
                    Create a memory
                  </button>
                </Empty>
              </View>
            )}
          </main>
        </div>
      </div>
      <Messages />
      <HelpDialog />
    </>
  );
}

function Million() {
  const [open, setOpen] = useState<Row | null>(null);
  const [edited, setEdited] = useState("");
  const [selection, setSelection] = useState<Selection>(nothingSelected);
  const [sort, setSort] = useState<Sort>({ column: "created_at", isDescending: true });
  return (
    <View
      title="Memories"
      fills
      lead="A million rows."
      actions={
        <button type="button" class="primary">
          New memory
        </button>
      }
    >
      <div class="filters">
        <input type="search" placeholder="Search" aria-label="Search" />
        <Select
          label="Type"
          value="all"
          options={{ all: "All types", fact: "Facts" }}
          onChange={() => undefined}
        />
        <span class="quiet count" id="selected">
          {selectedCount(selection, rowCount)} selected
        </span>
        <span class="quiet" id="edited">
          {edited}
        </span>
      </div>
      <div class="with-panel">
        <Table
          label="Memories"
          noun={["memory", "memories"]}
          columns={columns}
          rows={rows.value}
          idOf={({ id }) => id}
          nameOf={({ text }) => text}
          sort={sort}
          onSort={(next) => {
            setSort(next);
            rows.value = createRows(load);
          }}
          openId={open?.id ?? null}
          onOpen={setOpen}
          onEdit={({ id }) => setEdited(id)}
          selection={selection}
          onSelect={setSelection}
          empty={<p>Nothing.</p>}
        />
        {open !== null && (
          <SidePanel title="Memory" shows={open.id} onClose={() => setOpen(null)}>
            <p>
              <bdi>{open.text}</bdi>
            </p>
            <dl class="facts">
              <dt>Id</dt>
              <dd>
                <CopyText text={open.id} what="the id" />
              </dd>
              <dt>Importance</dt>
              <dd>{open.importance}</dd>
              <dt>Created</dt>
              <dd>
                <Time at={open.at} />
              </dd>
            </dl>
          </SidePanel>
        )}
      </div>
    </View>
  );
}

function Parts() {
  const [tags, setTags] = useState<readonly string[]>(["user:dana", "<script>"]);
  const [tab, setTab] = useState<"text" | "json">("text");
  const [isOn, setOn] = useState(true);
  const [isAsking, setAsking] = useState(false);
  const draft = useDraft("gallery", "", noText);
  const times = Array.from({ length: 120 }, (_, minute) => start / 1_000 + minute * 60);
  return (
    <View title="Parts">
      <div class="cards">
        <div class="card">
          <h2>Memories</h2>
          <p class="figure">
            <Count value={1_234_567} />
          </p>
        </div>
        <div class="card">
          <h2>Records</h2>
          <p class="figure">
            <Count value={98_765} />
          </p>
        </div>
        <div class="card">
          <h2>Health</h2>
          <p>
            <span class="badge good">ready</span> <span class="badge warning">no backup</span>{" "}
            <span class="badge danger">disk full</span> <span class="badge accent">new</span>{" "}
            <span class="badge">paused</span>
          </p>
        </div>
      </div>
      <Chart
        summary="Calls by minute: 10 to 30"
        times={times}
        format={countText}
        series={[
          {
            label: "Calls",
            color: "--chart-1",
            values: times.map((_, index) => 20 + Math.round(10 * Math.sin(index / 9))),
          },
          {
            label: "Errors",
            color: "--chart-5",
            values: times.map((_, index) => (index % 30 === 0 ? 4 : 0)),
          },
        ]}
      />
      <form class="form" onSubmit={(event) => event.preventDefault()}>
        <Field
          label="Name"
          help="Such as its purpose."
          fault={draft.value === "bad" ? "This name exists. Choose another one." : null}
        >
          {(control) => (
            <input
              {...control}
              value={draft.value}
              onInput={({ currentTarget }) => draft.set(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Tags">
          {(control) => <TagInput control={control} tags={tags} onChange={setTags} known={["office"]} />}
        </Field>
        <Switch label="Active" isOn={isOn} onChange={setOn} />
        <div class="filters">
          <button type="submit" class="primary">
            Save
          </button>
          <button
            type="button"
            onClick={() =>
              showMessage({
                text: "The memory was deleted.",
                action: { label: "Undo", run: () => undefined },
              })
            }
          >
            Show a message
          </button>
          <button type="button" class="danger" onClick={() => setAsking(true)}>
            Revoke
          </button>
          <button type="button" disabled>
            Disabled
          </button>
        </div>
      </form>
      <Difference
        before="Dana prefers tea in the morning."
        after="Dana prefers coffee in the morning, and tea later."
      />
      <Failure error={new Error("something")} onRetry={() => undefined} />
      <Tabs label="Forms" tabs={{ text: "Text", json: "JSON" }} chosen={tab} onChoose={setTab}>
        <p>{tab}</p>
      </Tabs>
      <Progress
        label="Verifying records"
        done={42_000}
        total={100_000}
        detail="42,000 of 100,000"
        onCancel={() => undefined}
      />
      <p>
        <Time at={start} /> · <Time at={start} ago /> · <Time at={null} none="never" />
      </p>
      {isAsking && (
        <Confirm
          title="Revoke the key"
          action="Revoke the key"
          typed="production"
          onClose={() => setAsking(false)}
          run={async () => undefined}
        >
          <p>Programs that use it are refused at once. This cannot be undone.</p>
        </Confirm>
      )}
    </View>
  );
}

const place = document.getElementById("console");
if (place !== null) render(<Gallery />, place);
