// A field for tags: each is entered with Enter or a comma, and removed with its button or with Backspace.

import { useId, useState } from "preact/hooks";
import type { ControlAttributes } from "../field.tsx";
import { Icon } from "../icon.tsx";

interface TagInputProps {
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
  /** Tags that the project has, to choose from. */
  readonly known?: readonly string[];
  readonly control?: ControlAttributes;
  /** Instead of a Field around it. */
  readonly label?: string;
}

export function TagInput({ tags, onChange, known = [], control, label }: TagInputProps) {
  const [text, setText] = useState("");
  const listId = useId();
  const add = (typed: string) => {
    const added = typed
      .split(",")
      .map((each) => each.trim().normalize("NFC"))
      .filter((each) => each !== "");
    if (added.length > 0) onChange([...new Set([...tags, ...added])]);
    setText("");
  };
  const remove = (tag: string) => onChange(tags.filter((each) => each !== tag));
  const keyDown = (event: KeyboardEvent) => {
    if ((event.key === "Enter" || event.key === ",") && text.trim() !== "") {
      event.preventDefault();
      add(text);
    } else if (event.key === "Backspace" && text === "") {
      const last = tags.at(-1);
      if (last !== undefined) remove(last);
    }
  };
  return (
    <div class="tag-input">
      {tags.map((tag) => (
        <span class="tag" key={tag}>
          <bdi>{tag}</bdi>
          <button type="button" class="bare" aria-label={`Remove the tag ${tag}`} onClick={() => remove(tag)}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      <input
        {...control}
        aria-label={label}
        list={listId}
        value={text}
        autocomplete="off"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={keyDown}
        onBlur={() => add(text)}
      />
      <datalist id={listId}>
        {known
          .filter((tag) => !tags.includes(tag))
          .map((tag) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
    </div>
  );
}

/** Tags as they are shown everywhere. Each is text of somebody else, so it has its own direction. */
export function Tags({ tags }: { readonly tags: readonly string[] }) {
  return (
    <span class="tags">
      {tags.map((tag) => (
        <span class="tag" key={tag}>
          <bdi>{tag}</bdi>
        </span>
      ))}
    </span>
  );
}
