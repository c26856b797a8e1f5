// The filters above the table. Each one is in the address.

import { Select } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { useQuery } from "../../query.ts";
import { isFiltered, type MemoryQuery, noFilters, originNames } from "./memory-query.ts";
import { TagFilter } from "./tag-filter.tsx";

const types = { "": "All types", rule: "Rules", fact: "Facts", context: "Contexts" };
const activity = { "": "Active or not", true: "Active", false: "Inactive" };
const expiry = { "": "Expired or not", false: "Not expired", true: "Expired" };

export function MemoryFilters({ shown }: { readonly shown: MemoryQuery }) {
  const query = useQuery();
  return (
    <search class="filters memory-filters">
      <SearchField
        label="Words in memories"
        text={shown.text}
        onPause={(text) => query.set({ text }, "replace")}
      />
      <Select
        label="Origin"
        value={shown.origin}
        options={originNames}
        onChange={(origin) => query.set({ origin: origin === "kept" ? null : origin })}
      />
      <Select label="Type" value={shown.type} options={types} onChange={(type) => query.set({ type })} />
      <Select
        label="Active"
        value={shown.active}
        options={activity}
        onChange={(active) => query.set({ active })}
      />
      <Select
        label="Expiry"
        value={shown.expired}
        options={expiry}
        onChange={(expired) => query.set({ expired })}
      />
      <TagFilter tags={shown.tags} query={query} />
      {shown.conversation !== "" && (
        <button
          type="button"
          class="tag chosen"
          aria-label={`Remove the filter for the conversation ${shown.conversation}`}
          onClick={() => query.set({ conversation: null })}
        >
          <bdi>{shown.conversation}</bdi>
          <Icon name="close" />
        </button>
      )}
      {isFiltered(shown) && (
        <button type="button" class="bare" onClick={() => query.set(noFilters)}>
          Clear
        </button>
      )}
    </search>
  );
}
