// The bar above the table while memories are selected: what can be done with all of them, how far it is, and a way to end it.

import { useRef, useState } from "preact/hooks";
import type { MemoryListQuery } from "../../../../clients/typescript/src/generated/models.ts";
import { now } from "../../clock.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/failure.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { Progress } from "../../parts/progress.tsx";
import { allMatching, nothingSelected, type Selection, selectedCount } from "../../parts/table/selection.ts";
import { countOf, countText } from "../../parts/text/count.tsx";
import { useProject } from "../../project.ts";
import { type ChangeOf, changeSelected, type Done, undoAll } from "./bulk-changes.ts";
import { BulkTags } from "./bulk-tags.tsx";
import { checksLink, undo } from "./memory-changes.ts";
import { isExpired } from "./memory-columns.tsx";
import type { Memory } from "./memory-query.ts";

interface BulkBarProps {
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
  /** How many memories match; null: not known yet. */
  readonly total: number | null;
  readonly filter: MemoryListQuery;
  readonly loaded: ReadonlyMap<string, Memory>;
  /** Memories were changed. */
  readonly onEnd: () => void;
}

/** The previous values of more memories than this are not kept for "Undo". They are in the ledger. */
const undoMax = 10_000;

export function BulkBar(props: BulkBarProps) {
  const { selection, onSelect, total, filter, loaded, onEnd } = props;
  const { client, subject } = useProject();
  const [done, setDone] = useState<number | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [asked, setAsked] = useState<"tags" | "delete" | null>(null);
  const stopped = useRef<AbortController | null>(null);
  const count = selectedCount(selection, total);
  if (count === 0 && done === null && failure === null) return null;

  const run = async (verb: string, change: ChangeOf): Promise<void> => {
    const controller = new AbortController();
    stopped.current = controller;
    setDone(0);
    setFailure(null);
    try {
      const result = await changeSelected(client, {
        selection,
        filter,
        loaded,
        change,
        signal: controller.signal,
        onDone: setDone,
      });
      onSelect(nothingSelected);
      report(verb, result);
    } catch (error) {
      setFailure(error);
    } finally {
      onEnd();
      setDone(null);
    }
  };
  const report = (verb: string, result: Done) => {
    const { changed, former, deleted } = result;
    const isPossible = changed > 0 && former.length + deleted.length <= undoMax;
    const restore = async () => {
      const undone = await undoAll(client, result);
      onEnd();
      showMessage(said("restored", undone));
    };
    showMessage({
      ...said(verb, result),
      ...undo(isPossible, restore),
      link: checksLink(subject),
    });
  };
  if (done !== null)
    return (
      <div class="bulk-bar">
        <Progress
          label="Changing memories"
          done={done}
          total={count}
          detail={count === null ? countText(done) : `${countText(done)} of ${countText(count)}`}
          onCancel={() => stopped.current?.abort()}
        />
      </div>
    );
  return (
    <section class="bulk-bar" aria-label="Selected memories">
      {failure !== null && <Failure error={failure} onRetry={null} />}
      {count !== 0 && (
        <>
          <strong class="count">{count === null ? "All" : countText(count)} selected</strong>
          {selection.kind === "some" && total !== null && total > selection.ids.size && (
            <button type="button" class="link" onClick={() => onSelect(allMatching)}>
              Select all {countText(total)}
            </button>
          )}
          <span class="actions">
            <button
              type="button"
              onClick={() =>
                void run("activated", ({ is_active }) => (is_active ? null : { is_active: true }))
              }
            >
              Activate
            </button>
            <button
              type="button"
              onClick={() =>
                void run("deactivated", ({ is_active }) => (is_active ? { is_active: false } : null))
              }
            >
              Deactivate
            </button>
            <button
              type="button"
              onClick={() => {
                const expires_at = new Date(now()).toISOString();
                void run("expired", (memory) => (isExpired(memory) ? null : { expires_at }));
              }}
            >
              Expire
            </button>
            <button type="button" onClick={() => setAsked("tags")}>
              Tags…
            </button>
            <button type="button" onClick={() => setAsked("delete")}>
              Delete…
            </button>
            <button
              type="button"
              class="bare"
              onClick={() => {
                setFailure(null);
                onSelect(nothingSelected);
              }}
            >
              Clear
            </button>
          </span>
        </>
      )}
      {count === 0 && (
        <button type="button" class="bare" onClick={() => setFailure(null)}>
          Close
        </button>
      )}
      {asked === "tags" && (
        <BulkTags onClose={() => setAsked(null)} run={(change) => void run("changed", change)} />
      )}
      {asked === "delete" && (
        <Confirm
          title={`Delete ${count === null ? "all" : countOf(count, "memory", "memories")}`}
          action="Delete"
          typed={count === null || count > 1 ? String(count ?? "all") : null}
          onClose={() => setAsked(null)}
          run={async () => void run("deleted", () => "delete")}
        >
          <p>Searches no longer find them. The ledger keeps that they were deleted, and by whom.</p>
        </Confirm>
      )}
    </section>
  );
}

/** What became of many memories, in one sentence. */
function said(verb: string, { changed, refused, reason }: Pick<Done, "changed" | "refused" | "reason">) {
  const refusal = refused === 0 ? "" : `, ${countText(refused)} refused: ${reason}`;
  return {
    text: `${countOf(changed, "memory", "memories")} ${verb}${refusal}.`.replace(/\.\.$/, "."),
    kind: refused === 0 ? "done" : "warning",
  } as const;
}
