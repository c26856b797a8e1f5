// The tags by which a list is filtered. They are in the address.

import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import type { Query } from "../../query.ts";
import { TagList } from "./tag-list.tsx";

interface TagFilterProps {
  readonly tags: readonly string[];
  readonly query: Query;
  /** Called before the tags of the project are read, because the call adds a record. */
  readonly onRead?: () => void;
}

export function TagFilter({ tags, query, onRead }: TagFilterProps) {
  const setTags = (next: readonly string[]) => query.set({ tag: next });
  return (
    <>
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
            {...(onRead === undefined ? {} : { onRead })}
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
    </>
  );
}
