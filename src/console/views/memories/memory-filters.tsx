// The filters above the table. Each one is in the address.

import { Select } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { useQuery } from "../../query.ts";
import { isFiltered, type MemoryQuery, noFilters } from "./memory-query.ts";
import { TagList } from "./tag-list.tsx";

const types = { "": "All types", rule: "Rules", fact: "Facts", context: "Contexts" };
const activity = { "": "Active or not", true: "Active", false: "Inactive" };
const expiry = { "": "Expired or not", false: "Not expired", true: "Expired" };

export function MemoryFilters({ shown }: { readonly shown: MemoryQuery }) {
  const query = useQuery();
  const { tags } = shown;
  const setTags = (next: readonly string[]) => query.set({ tag: next });
  return (
    <search class="filters memory-filters">
      <SearchField
        label="Words in memories"
        text={shown.text}
        onPause={(text) => query.set({ text }, "replace")}
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
      <Menu
        button={
          <>
            Tags <Icon name="down" />
          </>
        }
      >
        {(close) => (
          <TagList
            chosen={tags}
            onChoose={(tag) => {
              setTags(tags.includes(tag) ? tags.filter((each) => each !== tag) : [...tags, tag]);
              close();
            }}
          />
        )}
      </Menu>
      {tags.map((tag) => (
        <button
          key={tag}
          type="button"
          class="tag chosen"
          aria-label={`Remove the filter for the tag ${tag}`}
          onClick={() => setTags(tags.filter((each) => each !== tag))}
        >
          <bdi>{tag}</bdi>
          <Icon name="close" />
        </button>
      ))}
      {isFiltered(shown) && (
        <button type="button" class="bare" onClick={() => query.set(noFilters)}>
          Clear
        </button>
      )}
    </search>
  );
}
