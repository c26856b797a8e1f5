// The changes of memories that wait for a decision: one card for each, decided one by one with the keyboard, or many at once. Every decision can
// be undone as far as the API can undo it (undo.ts).

import { useRef } from "preact/hooks";
import { isAllowed } from "../../access.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Select } from "../../parts/field.tsx";
import { moveFocus } from "../../parts/move-focus.ts";
import { Loading } from "../../parts/progress.tsx";
import { areShortcutsOn, useShortcuts } from "../../parts/shortcuts.ts";
import { countText } from "../../parts/text/count.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { projectName, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { SubjectLine } from "../subjects/subject-line.tsx";
import { kindNames, SuggestionCard } from "./suggestion-card.tsx";
import { type Decisions, useDecisions } from "./use-decisions.ts";

/** As many as one call can decide. */
const pageSize = 100;
const kindOptions = { "": "All kinds", ...kindNames };
type KindOption = keyof typeof kindOptions;

export function Suggestions() {
  const { id: project, owner, client } = useProject();
  const query = useQuery();
  const asked = query.get("kind") ?? "";
  const kind = isKind(asked) ? asked : "";
  const cursor = query.get("cursor");
  const data = useData(JSON.stringify([owner, kind, cursor]), (signal) =>
    client.suggestions.list(
      { page_size: pageSize, kind: kind === "" ? undefined : kind, cursor: cursor ?? undefined },
      { signal },
    ),
  );
  const root = useRef<HTMLElement>(null);
  const decisions = useDecisions(client, data, root);
  const { shown, selected, setSelected, isBusy, decideOne, undoLast } = decisions;
  const canDecide = isAllowed("memory.write");

  const move = (step: number) => moveFocus(root.current, ".suggestion", step);
  /** Presses a button of the suggestion with the focus; without it, nothing happens. */
  const act = (name: string) =>
    root.current?.querySelector<HTMLElement>(`.suggestion:focus-within ${name}`)?.click();
  useShortcuts("Suggestions", [
    { keys: "j", label: "Next suggestion", run: () => move(1) },
    { keys: "k", label: "Previous suggestion", run: () => move(-1) },
    ...(canDecide
      ? [
          { keys: "a", label: "Accept the suggestion", run: () => act("[data-act=accept]") },
          { keys: "r", label: "Refuse the suggestion", run: () => act("[data-act=refuse]") },
          { keys: "e", label: "Edit the text; Escape ends it", run: () => act("[data-act=edit]") },
          { keys: "x", label: "Select the suggestion", run: () => act("input[type=checkbox]") },
          { keys: "u", label: "Undo the last decision", run: undoLast },
        ]
      : []),
  ]);
  return (
    <View
      title="Suggestions"
      of={projectName(project)}
      lead={
        <>
          Changes of memories that wait for a decision. Until then, they change no search.
          <SubjectLine />
        </>
      }
    >
      <section
        class="suggestions"
        aria-label="Suggestions"
        ref={root}
        tabIndex={-1}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step === undefined || !(event.target as Element).matches(".suggestion")) return;
          event.preventDefault();
          move(step);
        }}
      >
        <div class="filters">
          <Select
            label="Kind"
            value={kind}
            options={kindOptions}
            onChange={(next) => query.set({ kind: next, cursor: null })}
          />
          {canDecide && shown.length > 0 && <ChosenBar decisions={decisions} />}
        </div>
        {data.error !== null && <Failure error={data.error} onRetry={data.reload} />}
        {data.value === undefined && data.isLoading && <Loading />}
        {data.value !== undefined && shown.length === 0 && (
          <Empty title="No suggestion waits">
            <p>
              An extraction makes one when a new memory looks like a contradiction of another one, and so does
              an agent whose key may only propose (<code>memory.propose</code>).
            </p>
          </Empty>
        )}
        {shown.map((suggestion) => (
          <SuggestionCard
            key={suggestion.id}
            suggestion={suggestion}
            isSelected={selected.has(suggestion.id)}
            onSelect={(isSelected) => {
              const others = [...selected].filter((id) => id !== suggestion.id);
              setSelected(new Set(isSelected ? [...others, suggestion.id] : others));
            }}
            isBusy={isBusy}
            onDecide={canDecide ? (decision) => void decideOne(suggestion, decision) : null}
          />
        ))}
        {data.value !== undefined && data.value.next_cursor !== null && (
          <button type="button" onClick={() => query.set({ cursor: data.value?.next_cursor ?? null })}>
            Show older suggestions
          </button>
        )}
        {cursor !== null && (
          <button type="button" onClick={() => query.set({ cursor: null })}>
            Show the newest suggestions
          </button>
        )}
      </section>
    </View>
  );
}

/** Decides those that are selected. */
function ChosenBar({ decisions }: { decisions: Decisions }) {
  const { shown, chosen, setSelected, isBusy, decideChosen } = decisions;
  return (
    <>
      <button
        type="button"
        onClick={() => setSelected(new Set(chosen.length === shown.length ? [] : shown.map(({ id }) => id)))}
      >
        {chosen.length === shown.length ? "Select none" : `Select all ${countText(shown.length)}`}
      </button>
      <Button
        type="button"
        isOff={isBusy || chosen.length === 0}
        onClick={() => void decideChosen("acceptBatch")}
      >
        Accept {countText(chosen.length)} selected
      </Button>
      <Button
        type="button"
        isOff={isBusy || chosen.length === 0}
        onClick={() => void decideChosen("refuseBatch")}
      >
        Refuse {countText(chosen.length)} selected
      </Button>
      {areShortcutsOn.value === "on" && (
        <span class="quiet keys">
          <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>a</kbd> accept · <kbd>r</kbd> refuse · <kbd>e</kbd>{" "}
          edit · <kbd>x</kbd> select · <kbd>u</kbd> undo
        </span>
      )}
    </>
  );
}

function isKind(text: string): text is KindOption {
  return Object.hasOwn(kindOptions, text);
}
