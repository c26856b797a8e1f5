// What the ledger says about a memory, newest first: who made, changed and deleted it, or which searches and prompts had it. Each event can be
// opened: what it changed, from which text, who sent it, and a way back to the values after it.

import { useState } from "preact/hooks";
import type {
  MemoryEvent,
  MemoryEventKind,
  MemoryHistoryPart,
} from "../../../../clients/typescript/src/generated/models.ts";
import { Failure } from "../../parts/failure.tsx";
import { Loading } from "../../parts/progress.tsx";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { countText } from "../../parts/text/count.tsx";
import { Fact } from "../../parts/text/fact.tsx";
import { Time } from "../../parts/text/time.tsx";
import { useData } from "../../parts/use-data.ts";
import { linkTo, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { ConsoleReadsSwitch, withoutConsoleReads } from "../ledger/console-reads.tsx";
import { ChangedFields } from "./changed-fields.tsx";
import type { MemoryChanges } from "./memory-changes.ts";
import { type MemoryFields, newMemory, toFields, toUpdate } from "./memory-fields.ts";
import type { Memory } from "./memory-query.ts";

interface HistoryProps {
  readonly id: string;
  readonly include: MemoryHistoryPart;
  /** Undefined: it was deleted, or is not loaded yet. */
  readonly memory: Memory | undefined;
  readonly changes: MemoryChanges | null;
}

const nothing = {
  changes: "The ledger has no record of this memory any more: it is older than the records that are kept.",
  uses: "No search has found this memory, and no call has read it, apart from reads in the console, which may be hidden.",
};

export function History({ id, include, memory, changes }: HistoryProps) {
  const { id: project, client } = useProject();
  const [more, setMore] = useState<readonly MemoryEvent[]>([]);
  const [cursor, setCursor] = useState<string | null | undefined>(undefined);
  const [failure, setFailure] = useState<unknown>(null);
  const query = useQuery();
  const asked = { include, ...(include === "uses" ? withoutConsoleReads(query) : {}) };
  const first = useData(JSON.stringify([project, id, asked]), (signal) => {
    setMore([]);
    setCursor(undefined);
    return client.memories.history(id, asked, { signal });
  });
  if (first.error !== null) return <Failure error={first.error} onRetry={first.reload} />;
  if (first.value === undefined) return <Loading />;
  const events = [...first.value.events, ...more];
  const next = cursor === undefined ? first.value.next_cursor : cursor;
  const loadMore = async () => {
    try {
      const page = await client.memories.history(id, { ...asked, cursor: next ?? undefined });
      setMore([...more, ...page.events]);
      setCursor(page.next_cursor);
      setFailure(null);
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <div class="history">
      {include === "uses" && <ConsoleReadsSwitch query={query} />}
      {events.length === 0 && next === null && <p class="quiet">{nothing[include]}</p>}
      <ol>
        {events.map((event, index) => (
          <Entry
            key={event.audit_id}
            event={event}
            state={stateAfter(events.slice(index))}
            memory={memory}
            changes={changes}
          />
        ))}
      </ol>
      {failure !== null && <Failure error={failure} />}
      {next !== null && (
        <button type="button" onClick={() => void loadMore()}>
          Show older events
        </button>
      )}
    </div>
  );
}

/** The values after the first one of the events, as far as these events have them. @param events newest first */
function stateAfter(events: readonly MemoryEvent[]): Partial<MemoryFields> {
  return Object.assign({}, ...events.toReversed().map(({ values }) => values));
}

const verbs: Readonly<Record<MemoryEventKind, string>> = {
  created: "Created",
  changed: "Changed",
  deleted: "Deleted",
  found: "Found",
  injected: "In a prompt",
  read: "Read",
};

interface EntryProps {
  readonly event: MemoryEvent;
  readonly state: Partial<MemoryFields>;
  readonly memory: Memory | undefined;
  readonly changes: MemoryChanges | null;
}

function Entry({ event, state, memory, changes }: EntryProps) {
  const { kind, created_at, query, client_name, transport } = event;
  const isChange = kind === "created" || kind === "changed" || kind === "deleted";
  return (
    <li data-changes={isChange}>
      <details>
        <summary>
          <strong>{verbs[kind]}</strong>
          <bdi class="quiet by">{query ?? client_name ?? transport ?? ""}</bdi>
          <Time at={created_at} />
        </summary>
        <div class="opened">
          {event.redacted && <p class="quiet">The texts of this record were erased or have expired.</p>}
          {isChange && <Change event={event} state={state} />}
          <Sender event={event} />
          {isChange && kind !== "deleted" && memory !== undefined && changes !== null && (
            <RestoreButton memory={memory} state={state} changes={changes} />
          )}
        </div>
      </details>
    </li>
  );
}

function Change({ event: { kind, former, evidence }, state }: Pick<EntryProps, "event" | "state">) {
  const after = { ...newMemory, ...state };
  return (
    <>
      {kind === "changed" && <ChangedFields before={{ ...after, ...former }} after={after} />}
      {kind === "created" && state.content !== undefined && (
        <p class="content-text" dir="auto">
          {state.content}
        </p>
      )}
      {evidence !== null && (
        <figure class="evidence">
          <figcaption class="quiet">Taken from the sentence</figcaption>
          <blockquote dir="auto">{evidence}</blockquote>
        </figure>
      )}
    </>
  );
}

function Sender({ event }: { readonly event: MemoryEvent }) {
  const { action, client_name, key_id, seq, audit_id, source_record, query, similarity, final_score } = event;
  const linkOf = (record: string) => linkTo("ledger", { record });
  const facts = [
    ["Query", query === null ? null : <bdi key="query">{query}</bdi>],
    ["Similarity", similarity?.toFixed(3) ?? null],
    ["Score", final_score?.toFixed(3) ?? null],
    ["Call", action],
    ["Client", client_name === null ? null : <bdi key="client">{client_name}</bdi>],
    [
      "Conversation",
      source_record === null || source_record === audit_id ? null : (
        <a key="source" href={linkOf(source_record)}>
          in the ledger
        </a>
      ),
    ],
    ["API key", key_id === null ? null : <CopyText key="key" text={key_id} what="the id of the key" />],
  ] as const;
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null)
        .map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      <Fact name="Record" value={<a href={linkOf(audit_id)}>{countText(seq)} in the ledger</a>} />
    </dl>
  );
}

interface RestoreButtonProps {
  readonly memory: Memory;
  readonly state: Partial<MemoryFields>;
  readonly changes: MemoryChanges;
}

function RestoreButton({ memory, state, changes }: RestoreButtonProps) {
  const [error, setError] = useState<unknown>(null);
  const present = toFields(memory);
  const update = toUpdate(present, { ...present, ...state });
  if (update === null) return null;
  return (
    <>
      {error !== null && <Failure error={error} />}
      <button
        type="button"
        onClick={() => void changes.update(memory, update, "The version was restored.").catch(setError)}
      >
        Restore this version
      </button>
    </>
  );
}
