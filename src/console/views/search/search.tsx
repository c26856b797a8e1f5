// The search lab: one query in both modes side by side, why each memory is where it is, what was just missed, and the prompt that an
// injection would return; and the checks, which are saved searches.

import { useRef, useState } from "preact/hooks";
import type { SearchMode, SearchResult } from "../../../../clients/typescript/src/index.ts";
import { isAllowed } from "../../access.ts";
import { route } from "../../location.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { moveFocus } from "../../parts/move-focus.ts";
import { Loading } from "../../parts/progress.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { linkTo, projectName, useProject } from "../../project.ts";
import { type Query, useQuery } from "../../query.ts";
import { SubjectLine } from "../subjects/subject-line.tsx";
import { countDefault, toAddress, useLongQuery } from "./check-address.ts";
import { Checks } from "./checks.tsx";
import { type Asked, type Comparison, compare } from "./comparison.ts";
import { HitColumn, Missed } from "./hit-column.tsx";
import { InjectedPrompt } from "./injected-prompt.tsx";
import { type NewCheck, SaveCheck } from "./save-check.tsx";
import { SearchForm } from "./search-form.tsx";

const countMax = 50;
const tabs = { search: "Search", checks: "Checks" };

export function Search() {
  const { id } = useProject();
  const query = useQuery();
  const tab = query.get("tab") === "checks" ? "checks" : "search";
  return (
    <View
      title="Search lab"
      of={projectName(id)}
      fills={tab === "checks"}
      lead={
        <>
          Why a search finds what it finds. Each search performs three calls, which the ledger records.
          <SubjectLine />
        </>
      }
    >
      <Tabs
        label="Search lab"
        tabs={tabs}
        chosen={tab}
        onChoose={(next) => query.set({ tab: next === "search" ? null : next })}
      >
        {tab === "checks" ? <Checks /> : <Lab query={query} />}
      </Tabs>
    </View>
  );
}

function Lab({ query }: { readonly query: Query }) {
  const { id, client } = useProject();
  const long = useLongQuery();
  const asked = readAsked(query, long.value);
  // A count of searches: asking for the same again is a new search.
  const [round, setRound] = useState(0);
  const answer = useData<Comparison | null>(JSON.stringify([id, asked, round]), async (signal) =>
    asked.query === "" ? null : compare(client, asked, signal),
  );
  const ask = (text: string) => {
    const place = toAddress(text);
    if (place.q === null) long.set(text);
    else long.clear();
    if (text === asked.query) setRound(round + 1);
    else query.set({ ...place, budget: null, expects: null });
  };
  return (
    <>
      <SearchForm key={asked.query} asked={asked} onAsk={ask} onFilter={(changes) => query.set(changes)} />
      {answer.error !== null && <Failure error={answer.error} onRetry={answer.reload} />}
      {asked.query === "" && (
        <Empty title="Ask what an assistant would ask">
          <p>
            Enter a question or a few words. Both modes answer side by side, with the parts of each score, the
            memories that were just missed, and the prompt that an assistant would get.
          </p>
        </Empty>
      )}
      {answer.isLoading && asked.query !== "" && <Loading label="Searching" />}
      {answer.value && <Answer asked={asked} comparison={answer.value} query={query} />}
    </>
  );
}

interface AnswerProps {
  readonly asked: Asked;
  readonly comparison: Comparison;
  readonly query: Query;
}

function Answer({ asked, comparison, query }: AnswerProps) {
  const { subject } = useProject();
  const { semantic, hybrid, injection } = comparison;
  const [marked, setMarked] = useState<string | null>(null);
  const [saving, setSaving] = useState<NewCheck | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const find = (selector: string) => root.current?.querySelector<HTMLElement>(selector);
  const move = (step: number) => moveFocus(root.current, ".hit a", step);
  const edit = () => {
    const link = find(".hit:focus-within a");
    if (link instanceof HTMLAnchorElement) route(`${link.pathname}${link.search}&edit=yes`);
  };
  useShortcuts("Search lab", [
    { keys: "j", label: "Next hit", run: () => move(1) },
    { keys: "k", label: "Previous hit", run: () => move(-1) },
    { keys: "c", label: "Save as a check", run: () => find(".hit:focus-within button")?.click() },
    { keys: "e", label: "Edit the memory", run: edit },
    { keys: "b", label: "Budget of the prompt", run: () => find("input[type=range]")?.focus() },
  ]);
  const expected = query.get("expects");
  const actions = { marked, onMark: setMarked, expected, onCheck: null };
  const actionsIn = (mode: SearchMode) => ({
    ...actions,
    onCheck: isAllowed("memory.write")
      ? ({ memory }: SearchResult, place: number | null) => setSaving({ mode, memory, place })
      : null,
  });
  const isShown = [semantic, hybrid].some(({ results, missed = [] }) =>
    [...results, ...missed].some(({ memory }) => memory.id === expected),
  );
  const budget = query.get("budget");
  return (
    <div class="lab" ref={root}>
      {expected !== null && !isShown && (
        <p>
          <span class="badge warning">not found</span>{" "}
          <a href={linkTo("memories", { memory: expected, subject })}>The memory that the check expects</a> is
          neither among the hits nor among those that were just missed.
        </p>
      )}
      <p class="legend" aria-hidden="true">
        <span data-part="similarity">similarity × 0.7</span>
        <span data-part="words">
          {asked.isReranked ? "what words and reranking add × 0.7" : "what words add × 0.7"}
        </span>
        <span data-part="importance">importance × 0.3</span>
      </p>
      <div class="columns">
        <HitColumn
          title="Semantic"
          about="by meaning"
          asked={asked}
          found={semantic}
          other={hybrid}
          actions={actionsIn("semantic")}
        />
        <HitColumn
          title="Hybrid"
          about={`by meaning and words, ${hybrid.reranked ? "reranked" : "not reranked"}`}
          asked={asked}
          found={hybrid}
          other={semantic}
          actions={actionsIn("hybrid")}
        />
      </div>
      <InjectedPrompt
        injection={injection}
        budget={budget === null ? null : Math.max(0, Number(budget) || 0)}
        onBudget={(next) => query.set({ budget: next === null ? null : String(next) }, "replace")}
      >
        <Missed missed={injection.missed} asked={asked} actions={actions} />
      </InjectedPrompt>
      {saving !== null && <SaveCheck asked={asked} {...saving} onClose={() => setSaving(null)} />}
    </div>
  );
}

function readAsked(query: Query, long: string): Asked {
  const count = Math.trunc(Number(query.get("count") ?? countDefault)) || countDefault;
  const floor = Number(query.get("floor") ?? Number.NaN);
  return {
    query: query.get("q") ?? (query.get("long") === null ? "" : long),
    type: /^(?:rule|fact|context)$/.exec(query.get("type") ?? "")?.[0] ?? "",
    tags: query.all("tag"),
    isAnyTag: query.get("match") === "any",
    count: Math.min(Math.max(count, 1), countMax),
    floor: floor >= 0 && floor <= 1 ? floor : null,
    isReranked: query.get("rerank") !== "off",
  };
}
