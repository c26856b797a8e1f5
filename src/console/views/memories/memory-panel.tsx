// The panel beside the table: the whole memory, the form that changes it, and its history.

import { useState } from "preact/hooks";
import { isAllowed } from "../../access.ts";
import { now } from "../../clock.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Failure, readFailure } from "../../parts/failure.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { Loading } from "../../parts/progress.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { Fact } from "../../parts/text/fact.tsx";
import { Tags } from "../../parts/text/tag-input.tsx";
import { Time } from "../../parts/text/time.tsx";
import type { Data } from "../../parts/use-data.ts";
import { linkTo, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { History } from "./history.tsx";
import type { MemoryChanges } from "./memory-changes.ts";
import { isExpired, State } from "./memory-columns.tsx";
import { MemoryEditing } from "./memory-editing.tsx";
import { type Memory, typeNames } from "./memory-query.ts";
import { Origins } from "./origins.tsx";

interface MemoryPanelProps {
  readonly id: string;
  readonly data: Data<Memory>;
  /** Null: the session may not change memories. */
  readonly changes: MemoryChanges | null;
}

const shownCharacters = 12;
const tabs = { memory: "Memory", history: "History", uses: "Uses" };
const parts = { history: "changes", uses: "uses" } as const;

export function MemoryPanel({ id, data, changes }: MemoryPanelProps) {
  const query = useQuery();
  const { value: memory, error } = data;
  const isEditing = query.get("edit") !== null && changes !== null && memory !== undefined;
  const leaveForm = () => query.set({ edit: null }, "replace");
  const showsRecords = isAllowed("audit.read");
  const asked = query.get("tab");
  const tab = showsRecords && (asked === "history" || asked === "uses") ? asked : "memory";
  return (
    <SidePanel
      title={isEditing ? "Edit the memory" : "Memory"}
      shows={id}
      onClose={() => query.set({ memory: null, edit: null, tab: null })}
      actions={
        memory !== undefined &&
        changes !== null &&
        !isEditing && <Actions memory={memory} changes={changes} />
      }
    >
      {isEditing ? (
        <MemoryEditing memory={memory} changes={changes} onClose={leaveForm} />
      ) : (
        <Tabs
          label="About the memory"
          tabs={showsRecords ? tabs : { memory: tabs.memory }}
          chosen={tab}
          onChoose={(next) => query.set({ tab: next === "memory" ? null : next }, "replace")}
        >
          {tab !== "memory" ? (
            <History
              key={`${id} ${tab} ${memory?.updated_at}`}
              id={id}
              include={parts[tab]}
              memory={memory}
              changes={changes}
            />
          ) : (
            <>
              {error !== null && <Failure error={error} onRetry={data.reload} />}
              {memory === undefined && error === null && <Loading />}
              {memory !== undefined && <Facts memory={memory} />}
            </>
          )}
        </Tabs>
      )}
    </SidePanel>
  );
}

function Facts({ memory }: { readonly memory: Memory }) {
  const { id, content, memory_type, importance, tags = [] } = memory;
  return (
    <div class="memory-facts">
      <p class="content-text" dir="auto">
        {content}
      </p>
      <dl class="facts">
        <Origins memory={memory} />
        <Fact
          name="Type"
          value={
            <>
              {typeNames[memory_type]} <State memory={memory} />
            </>
          }
        />
        <Fact
          name="Importance"
          class="importance"
          value={
            <>
              <span class="count">{importance.toFixed(2)}</span>
              <meter min={0} max={1} value={importance} aria-label="Importance" />
            </>
          }
        />
        <Fact name="Tags" value={tags.length === 0 ? <span class="quiet">–</span> : <Tags tags={tags} />} />
        <Fact name="Expires" value={<Time at={memory.expires_at} none="never" />} />
        <Fact name="Last used" value={<Time at={memory.last_accessed_at} none="never" />} />
        <Fact name="Changed" value={<Time at={memory.updated_at} />} />
        <Fact name="Created" value={<Time at={memory.created_at} />} />
        <MemoryLink title="Replaced by" id={memory.superseded_by} />
        <MemoryLink title="Previous text of" id={memory.former_of} />
        {isAllowed("audit.read") && (
          <Fact name="Records" value={<a href={linkTo("ledger", { memory_id: id })}>in the ledger</a>} />
        )}
        <Fact name="Id" value={<CopyText text={id} what="the id of the memory" />} />
      </dl>
    </div>
  );
}

/** Leads to another memory; nothing if there is none. */
function MemoryLink({ title, id }: { readonly title: string; readonly id: string | undefined }) {
  const { subject } = useProject();
  if (id === undefined) return null;
  const link = (
    <a href={linkTo("memories", { subject, origin: "all", memory: id })}>
      <code>{id.slice(0, shownCharacters)}</code>
    </a>
  );
  return <Fact name={title} value={link} />;
}

interface ActionsProps {
  readonly memory: Memory;
  readonly changes: MemoryChanges;
}

function Actions({ memory, changes }: ActionsProps) {
  const query = useQuery();
  const [isAsking, setAsking] = useState(false);
  const { is_active: isActive } = memory;
  const act = (work: Promise<void>) =>
    void work.catch((error: unknown) => showMessage({ kind: "warning", text: readFailure(error).text }));
  const choices: readonly (readonly [label: string, run: () => void])[] = [
    isActive
      ? ["Deactivate", () => act(changes.update(memory, { is_active: false }, "The memory is inactive now."))]
      : ["Activate", () => act(changes.update(memory, { is_active: true }, "The memory is active now."))],
    isExpired(memory)
      ? [
          "Remove the expiry",
          () => act(changes.update(memory, { expires_at: null }, "The memory never expires now.")),
        ]
      : [
          "Expire now",
          () =>
            act(
              changes.update(
                memory,
                { expires_at: new Date(now()).toISOString() },
                "The memory has expired.",
              ),
            ),
        ],
    ["Delete…", () => setAsking(true)],
  ];
  return (
    <>
      <button type="button" onClick={() => query.set({ edit: "yes" }, "replace")}>
        Edit
      </button>
      <Menu button={<Icon name="more" />} label="More" class="bare">
        {(close) => (
          <div class="menu-list">
            {choices.map(([label, run]) => (
              <button
                key={label}
                type="button"
                onClick={() => {
                  close();
                  run();
                }}
              >
                {label}
              </button>
            ))}
          </div>
        )}
      </Menu>
      {isAsking && (
        <Confirm
          title="Delete the memory"
          action="Delete"
          run={() => changes.remove(memory)}
          onClose={() => setAsking(false)}
        >
          <p>Searches no longer find it. The ledger keeps that it was deleted, and by whom.</p>
        </Confirm>
      )}
    </>
  );
}
