// The tags of a project to choose from, the most frequent first. A tag that is not among them can be typed.

import { useState } from "preact/hooks";
import { Failure } from "../../parts/failure.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Loading } from "../../parts/progress.tsx";
import { Count } from "../../parts/text/count.tsx";
import { useData } from "../../parts/use-data.ts";
import { useProject } from "../../project.ts";

interface TagListProps {
  readonly chosen: readonly string[];
  readonly onChoose: (tag: string) => void;
  /** Called before the tags are read. */
  readonly onRead?: () => void;
}

export function TagList({ chosen, onChoose, onRead }: TagListProps) {
  const { id, client } = useProject();
  const [typed, setTyped] = useState("");
  const { value, error, reload } = useData(id, (signal) => {
    onRead?.();
    return client.memories.tags({}, { signal });
  });
  const wanted = typed.trim().normalize("NFC");
  const found = value?.tags.filter(({ tag }) => tag.toLowerCase().includes(wanted.toLowerCase())) ?? [];
  const isNew = wanted !== "" && !found.some(({ tag }) => tag === wanted);
  return (
    <form
      class="tag-list"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted !== "") onChoose(isNew && found.length === 1 ? (found[0]?.tag ?? wanted) : wanted);
      }}
    >
      <input
        placeholder="Tag"
        aria-label="Tag"
        autocomplete="off"
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {error !== null && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === null && <Loading />}
      <div class="menu-list">
        {found.map(({ tag, count }) => (
          <button key={tag} type="button" aria-pressed={chosen.includes(tag)} onClick={() => onChoose(tag)}>
            <bdi>{tag}</bdi>
            {chosen.includes(tag) ? <Icon name="check" /> : <Count value={count} />}
          </button>
        ))}
        {isNew && (
          <button type="submit">
            <span>
              Only <bdi>{wanted}</bdi>
            </span>
          </button>
        )}
      </div>
      {value !== undefined && value.tags.length === 0 && <p class="quiet">No memory has a tag yet.</p>}
    </form>
  );
}
