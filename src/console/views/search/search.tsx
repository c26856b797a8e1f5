// The search lab: one query in both modes side by side, why each memory is where it is, what was just missed, and the prompt that an
// injection would return.

import { useRef, useState } from "preact/hooks";
import { now } from "../../clock.ts";
import { useDraft } from "../../drafts.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Loading } from "../../parts/progress.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { projectName, useProject } from "../../project.ts";
import { type Query, useQuery } from "../../query.ts";
import { type Asked, type Comparison, compare } from "./comparison.ts";
import { HitColumn } from "./hit-column.tsx";
import { InjectedPrompt } from "./injected-prompt.tsx";
import { SearchForm } from "./search-form.tsx";

/** Longer queries are kept in this tab, not in the address. */
const addressMaxCharacters = 500;
const countDefault = 10;
const countMax = 50;

export function Search() {
  const { id, client } = useProject();
  const query = useQuery();
  const long = useDraft<string>(`search.${id}`, "", (value) => typeof value === "string");
  const asked = readAsked(query, long.value);
  // A count of searches: asking for the same again is a new search.
  const [round, setRound] = useState(0);
  const answer = useData<Comparison | null>(JSON.stringify([id, asked, round]), async (signal) =>
    asked.query === "" ? null : compare(client, asked, now(), signal),
  );
  const ask = (text: string) => {
    const isLong = text.length > addressMaxCharacters;
    if (isLong) long.set(text);
    else long.clear();
    if (text === asked.query) setRound(round + 1);
    else query.set({ q: isLong ? null : text, long: isLong ? "1" : null, budget: null });
  };
  return (
    <View
      title="Search lab"
      of={projectName(id)}
      lead="Why a search finds what it finds. Each search performs four calls, which the ledger records."
    >
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
      {answer.value && <Answer comparison={answer.value} query={query} />}
    </View>
  );
}

function Answer({ comparison, query }: { readonly comparison: Comparison; readonly query: Query }) {
  const { semantic, hybrid, injection } = comparison;
  const [marked, setMarked] = useState<string | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const move = (step: number) => {
    const links = [...(root.current?.querySelectorAll<HTMLElement>(".hit a") ?? [])];
    const at = links.findIndex((link) => link.matches(":focus"));
    links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
  };
  useShortcuts("Search lab", [
    { keys: "j", label: "Next hit", run: () => move(1) },
    { keys: "k", label: "Former hit", run: () => move(-1) },
    {
      keys: "b",
      label: "Budget of the prompt",
      run: () => root.current?.querySelector<HTMLElement>("input[type=range]")?.focus(),
    },
  ]);
  const mark = { marked, onMark: setMarked };
  const budget = query.get("budget");
  return (
    <div class="lab" ref={root}>
      <p class="legend" aria-hidden="true">
        <span data-part="similarity">similarity × 0.7</span>
        <span data-part="words">what words add × 0.7</span>
        <span data-part="importance">importance × 0.3</span>
      </p>
      <div class="columns">
        <HitColumn title="Semantic" about="by meaning" column={semantic} other={hybrid} {...mark} />
        <HitColumn title="Hybrid" about="by meaning and words" column={hybrid} other={semantic} {...mark} />
      </div>
      <InjectedPrompt
        injection={injection}
        budget={budget === null ? null : Math.max(0, Number(budget) || 0)}
        onBudget={(next) => query.set({ budget: next === null ? null : String(next) }, "replace")}
      />
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
    count: Math.min(Math.max(count, 1), countMax),
    floor: floor >= 0 && floor <= 1 ? floor : null,
  };
}
