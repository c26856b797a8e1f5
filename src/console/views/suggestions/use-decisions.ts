// Owns deciding suggestions and undoing that: which of them are selected, the calls, and what is said about them. Must never show a suggestion.

import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import type {
  DecisionResult,
  Suggestion,
  SuggestionPage,
} from "../../../../clients/typescript/src/generated/models.ts";
import type { ProjectClient } from "../../api/calls.ts";
import { readFailure } from "../../parts/failure.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { countOf, countText } from "../../parts/text/count.tsx";
import type { Data } from "../../parts/use-data.ts";
import type { Decision } from "./suggestion-card.tsx";
import { undoOf } from "./undo.ts";

export type Decisions = ReturnType<typeof useDecisions>;

/** @param root has the focus after a decision if nothing else can have it */
export function useDecisions(
  client: ProjectClient,
  data: Data<SuggestionPage>,
  root: RefObject<HTMLElement | null>,
) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const undos = useRef<(() => Promise<void>)[]>([]);
  const shown = data.value?.suggestions ?? [];
  const chosen = shown.filter(({ id }) => selected.has(id));

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
  const undoLast = () => {
    const last = undos.current.at(-1);
    if (last !== undefined && root.current?.contains(document.activeElement)) void undo(last);
  };
  return { shown, chosen, selected, setSelected, isBusy, decideOne, decideChosen, undoLast };
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
