// What to search for: the query and its filters. Only a submit searches, because every search is recorded.

import { useState } from "preact/hooks";
import { Select } from "../../parts/field.tsx";
import { TagInput } from "../../parts/text/tag-input.tsx";
import type { QueryChanges } from "../../query.ts";
import { countDefault, counts } from "./check-address.ts";
import type { Asked } from "./comparison.ts";

interface SearchFormProps {
  readonly asked: Asked;
  readonly onAsk: (text: string) => void;
  readonly onFilter: (changes: QueryChanges) => void;
}

const types = { "": "All types", rule: "Rules", fact: "Facts", context: "Contexts" } as const;
const floors: Readonly<Record<string, string>> = {
  "": "Minimum similarity: default",
  "0.1": "Minimum similarity 0.1",
  "0.2": "Minimum similarity 0.2",
  "0.3": "Minimum similarity 0.3",
  "0.4": "Minimum similarity 0.4",
  "0.5": "Minimum similarity 0.5",
  "0.6": "Minimum similarity 0.6",
};
const matches = { "": "All of the tags", any: "Any of the tags" } as const;
const rerankings = { "": "Reranked by default", off: "Not reranked" } as const;
const queryMaxCharacters = 10_000;

export function SearchForm({ asked, onAsk, onFilter }: SearchFormProps) {
  const [text, setText] = useState(asked.query);
  const count = String(asked.count);
  const floor = asked.floor === null ? "" : String(asked.floor);
  return (
    <form
      class="search-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") onAsk(text.trim());
      }}
    >
      <input
        type="search"
        aria-label="Query"
        dir="auto"
        placeholder="When do we release?"
        maxLength={queryMaxCharacters}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="primary">
        Search
      </button>
      <div class="filters">
        <Select
          label="Type"
          value={isOf(types, asked.type) ? asked.type : ""}
          options={types}
          onChange={(type) => onFilter({ type })}
        />
        <Select
          label="Number of hits"
          value={isOf(counts, count) ? count : `${countDefault}`}
          options={counts}
          onChange={(next) => onFilter({ count: next === String(countDefault) ? null : next })}
        />
        <Select
          label="Lowest similarity"
          value={floor}
          options={isOf(floors, floor) ? floors : { ...floors, [floor]: `Minimum similarity ${floor}` }}
          onChange={(next) => onFilter({ floor: next })}
        />
        <Select
          label="Reranking"
          value={asked.isReranked ? "" : "off"}
          options={rerankings}
          onChange={(rerank) => onFilter({ rerank })}
        />
        <span class="quiet" aria-hidden="true">
          Tags
        </span>
        <TagInput label="Tags" tags={asked.tags} onChange={(tag) => onFilter({ tag })} />
        {asked.tags.length > 1 && (
          <Select
            label="How many of the tags"
            value={asked.isAnyTag ? "any" : ""}
            options={matches}
            onChange={(match) => onFilter({ match })}
          />
        )}
      </div>
    </form>
  );
}

function isOf<Options extends object>(options: Options, value: PropertyKey): value is keyof Options {
  return Object.hasOwn(options, value);
}
