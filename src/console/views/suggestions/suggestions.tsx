// The changes of memories that wait for a decision: one card for each, decided one by one with the keyboard, or many at once. Every decision can
// be undone as far as the API can undo it (undo.ts).

import { useRef, useState } from "preact/hooks";
import type { DecisionResult, Suggestion } from "../../../../clients/typescript/src/generated/models.ts";
import { isAllowed } from "../../access.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure, readFailure } from "../../parts/failure.tsx";
import { Select } from "../../parts/field.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { moveFocus } from "../../parts/move-focus.ts";
import { Loading } from "../../parts/progress.tsx";
import { areShortcutsOn, useShortcuts } from "../../parts/shortcuts.ts";
import { countOf, countText } from "../../parts/text/count.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { projectName, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { SubjectLine } from "../subjects/subject-line.tsx";
import { type Decision, kindNames, SuggestionCard } from "./suggestion-card.tsx";
import { undoOf } from "./undo.ts";

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
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const root = useRef<HTMLElement>(null);
  const undos = useRef<(() => Promise<void>)[]>([]);
  const shown = data.value?.suggestions ?? [];
  const chosen = shown.filter(({ id }) => selected.has(id));
  const canDecide = isAllowed("memory.write");

  const undo = async (work: () => Promise<void>) => {
    if (!undos.current.includes(work)) return;
    undos.current = undos.current.filter((each) => each !== work);
    try {
      await work();
      showMessage({ text: "The decision was undone." });
    } catch (error) {
      showMessage({ kind: "warning", text: readFailure(error).text });
    }
    data.reload();
  };
  const decide = async (
    suggestions: readonly Suggestion[],
    work: () => Promise<readonly DecisionResult[]>,
  ) => {
    if (isBusy || suggestions.length === 0) return;
    setBusy(true);
    try {
      const results = await work();
      const gone = new Set(results.filter(({ status }) => status !== "failed").map(({ id }) => id));
      leave(root.current, gone);
      if (data.value !== undefined)
        data.set({ ...data.value, suggestions: shown.filter(({ id }) => !gone.has(id)) });
      setSelected(new Set([...selected].filter((id) => !gone.has(id))));
      const back = undoOf(client, suggestions, results);
      if (back !== null) undos.current.push(back);
      showMessage({
        ...said(results),
        ...(back === null ? {} : { action: { label: "Undo", run: () => void undo(back) } }),
      });
      // Others may be outdated, or gone with a memory.
      data.reload();
    } catch (error) {
      showMessage({ kind: "warning", text: readFailure(error).text });
    }
    setBusy(false);
  };
  const decideOne = (suggestion: Suggestion, decision: Decision) =>
    decide([suggestion], async () => {
      const { id } = suggestion;
      if (decision === "refuse") {
        await client.suggestions.refuse(id);
        return [{ index: 0, status: "refused", id }];
      }
      const { accept, content } = decision;
      const { changes } = await client.suggestions[accept](id, content === undefined ? {} : { content });
      return [{ index: 0, status: "accepted", id, changes }];
    });
  const decideChosen = (how: "acceptBatch" | "refuseBatch") =>
    decide(chosen, async () => {
      const suggestion_ids = chosen.map(({ id }) => id);
      return (await client.suggestions[how]({ suggestion_ids })).results;
    });

  const move = (step: number) => moveFocus(root.current, ".suggestion", step);
  /** Presses a button of the suggestion with the focus; without it, nothing happens. */
  const act = (name: string) =>
    root.current?.querySelector<HTMLElement>(`.suggestion:focus-within ${name}`)?.click();
  const undoLast = () => {
    const last = undos.current.at(-1);
    if (last !== undefined && root.current?.contains(document.activeElement)) void undo(last);
  };
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
          {canDecide && shown.length > 0 && (
            <>
              <button
                type="button"
                onClick={() =>
                  setSelected(new Set(chosen.length === shown.length ? [] : shown.map(({ id }) => id)))
                }
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
                  <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>a</kbd> accept · <kbd>r</kbd> refuse ·{" "}
                  <kbd>e</kbd> edit · <kbd>x</kbd> select · <kbd>u</kbd> undo
                </span>
              )}
            </>
          )}
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

function isKind(text: string): text is KindOption {
  return Object.hasOwn(kindOptions, text);
}

/** Moves the focus from what disappears to what stays. */
function leave(root: HTMLElement | null, gone: ReadonlySet<string | undefined>): void {
  const cards = [...(root?.querySelectorAll<HTMLElement>(".suggestion") ?? [])];
  const at = cards.findIndex((card) => card.matches(":focus-within"));
  if (at < 0) return;
  const stays = (card: HTMLElement) => !gone.has(card.dataset.id);
  (cards.slice(at).find(stays) ?? cards.slice(0, at).findLast(stays) ?? root)?.focus();
}

function said(results: readonly DecisionResult[]) {
  const count = (wanted: string) => results.filter(({ status }) => status === wanted).length;
  const failed = results.find(({ status }) => status === "failed");
  const parts = (["accepted", "refused"] as const)
    .filter((status) => count(status) > 0)
    .map((status) => `${countOf(count(status), "suggestion")} ${status}`);
  if (failed !== undefined) parts.push(`${countText(count("failed"))} failed: ${failed.message}`);
  return {
    text: `${parts.join(", ")}.`.replace(/\.\.$/, "."),
    kind: failed === undefined ? "done" : "warning",
  } as const;
}
