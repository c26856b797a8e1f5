// The controls that choose which records are listed.

import { useId } from "preact/hooks";
import { Select } from "../../parts/field.tsx";
import { SpanMenu } from "../../parts/text/time-span.tsx";
import type { Query } from "../../query.ts";
import { TagFilter } from "../memories/tag-filter.tsx";
import { actions } from "./actions.ts";
import { ConsoleReadsSwitch } from "./console-reads.tsx";
import { isFiltered, noFilter, type RecordFilter, statusClasses } from "./filter.ts";

interface FiltersProps {
  readonly filter: RecordFilter;
  readonly query: Query;
  /** By the id of the key. */
  readonly keyNames: ReadonlyMap<string, string>;
  /** Called before a call that adds a record. */
  readonly onRead: () => void;
}

export function Filters({ filter, query, keyNames, onRead }: FiltersProps) {
  const actionsId = useId();
  const { span, action, key, status, memory, subject, conversation, person, tags } = filter;
  const keys = new Map([["", "Any key"], ...keyNames]);
  if (!keys.has(key)) keys.set(key, key.slice(0, 8));
  const keyOptions: Readonly<Record<string, string>> = Object.fromEntries(keys);
  return (
    <search class="filters" aria-label="Filters">
      <SpanMenu span={span} onChange={({ start, end }) => query.set({ start_time: start, end_time: end })} />
      <input
        type="search"
        class="action"
        aria-label="Action"
        placeholder="Action, such as memory.search"
        list={actionsId}
        autocomplete="off"
        spellcheck={false}
        value={action}
        onChange={({ currentTarget }) => query.set({ action: currentTarget.value.trim() })}
      />
      <datalist id={actionsId}>
        {actions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Select
        label="Status"
        value={status}
        options={statusClasses}
        onChange={(chosen) => query.set({ status_class: chosen })}
      />
      <Select
        label="API key"
        value={key}
        options={keyOptions}
        onChange={(chosen) => query.set({ key_id: chosen })}
      />
      <TextFilter
        class="memory"
        label="Id of a memory"
        value={memory}
        onChange={(memory_id) => query.set({ memory_id })}
      />
      <TextFilter
        class="subject"
        label="Subject"
        value={subject}
        onChange={(subject) => query.set({ subject })}
      />
      <TextFilter
        class="conversation"
        label="Conversation"
        value={conversation}
        onChange={(conversation) => query.set({ conversation })}
      />
      <TextFilter
        class="person"
        label="On behalf of"
        value={person}
        onChange={(on_behalf_of) => query.set({ on_behalf_of })}
      />
      <TagFilter tags={tags} query={query} onRead={onRead} />
      <ConsoleReadsSwitch query={query} />
      {isFiltered(filter) && (
        <button type="button" class="bare" onClick={() => query.set(noFilter)}>
          Clear
        </button>
      )}
    </search>
  );
}

interface TextFilterProps {
  readonly class: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function TextFilter({ class: name, label, value, onChange }: TextFilterProps) {
  return (
    <input
      class={name}
      aria-label={label}
      placeholder={label}
      autocomplete="off"
      spellcheck={false}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
    />
  );
}
