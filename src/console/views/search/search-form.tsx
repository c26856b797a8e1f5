// What to search for: the query and its filters. Only a submit searches, because every search is recorded.

import { useState } from "preact/hooks";
import { Select } from "../../parts/field.tsx";
import { TagInput } from "../../parts/tag-input.tsx";
import type { QueryChanges } from "../../query.ts";
import type { Asked } from "./comparison.ts";

interface SearchFormProps {
  readonly asked: Asked;
  readonly onAsk: (text: string) => void;
  readonly onFilter: (changes: QueryChanges) => void;
}

const types = { "": "All types", rule: "Rules", fact: "Facts", context: "Contexts" } as const;
const counts = { "3": "First 3", "5": "First 5", "10": "First 10", "20": "First 20", "50": "First 50" };
const floors = {
  "": "Floor: default",
  "0.1": "Floor 0.1",
  "0.2": "Floor 0.2",
  "0.3": "Floor 0.3",
  "0.4": "Floor 0.4",
  "0.5": "Floor 0.5",
  "0.6": "Floor 0.6",
};
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
          value={isOf(counts, count) ? count : "10"}
          options={counts}
          onChange={(next) => onFilter({ count: next === "10" ? null : next })}
        />
        <Select
          label="Lowest similarity"
          value={isOf(floors, floor) ? floor : ""}
          options={floors}
          onChange={(next) => onFilter({ floor: next })}
        />
        <span class="quiet" aria-hidden="true">
          Tags
        </span>
        <TagInput label="Tags" tags={asked.tags} onChange={(tag) => onFilter({ tag })} />
      </div>
    </form>
  );
}

function isOf<Options extends object>(options: Options, value: PropertyKey): value is keyof Options {
  return Object.hasOwn(options, value);
}
