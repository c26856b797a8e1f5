// One suggestion: what it would change, word by word, who makes it and why, and the buttons that decide.

import { useState } from "preact/hooks";
import type {
  AgentMemory,
  SuggestedChange,
  Suggestion,
  SuggestionKind,
  SuggestionSource,
} from "../../../../clients/typescript/src/generated/models.ts";
import { isAllowed } from "../../access.ts";
import { Button } from "../../parts/button.tsx";
import { Difference } from "../../parts/difference.tsx";
import { differenceOf, type Piece } from "../../parts/text-difference.ts";
import { Time } from "../../parts/time.tsx";
import { linkTo, useProject } from "../../project.ts";
import { fieldTitles } from "../memories/memory-fields.ts";

export const kindNames: Readonly<Record<SuggestionKind, string>> = {
  create: "New memory",
  change: "Change",
  replace: "Replacement",
  delete: "Deletion",
  contradiction: "Possible contradiction",
  changed_value: "Changed value",
  near_duplicate: "Near-duplicate",
};

const sources: Readonly<Record<SuggestionSource, string>> = {
  key: "proposed with an API key",
  comparison: "found by comparing memories",
  model: "said by a language model",
};

/** With a text, it is used instead of the proposed one. */
export type Decision = "refuse" | { readonly accept: "accept" | "merge"; readonly content?: string };

interface SuggestionCardProps {
  readonly suggestion: Suggestion;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
  readonly isBusy: boolean;
  /** Null: the session may not decide. */
  readonly onDecide: ((decision: Decision) => void) | null;
}

export function SuggestionCard(props: SuggestionCardProps) {
  const { suggestion, isSelected, onSelect, isBusy, onDecide } = props;
  const { kind, proposed_by, created_at, reason, quotes, outdated, audit_id } = suggestion;
  const [older, newer] = textsOf(suggestion);
  const [edited, setEdited] = useState<{ readonly how: "accept" | "merge"; readonly text: string } | null>(
    null,
  );
  const canMerge = older !== null && newer !== null && kind !== "change";
  return (
    <article
      class="suggestion"
      data-id={suggestion.id}
      tabIndex={-1}
      aria-label={`${kindNames[kind]}: ${newer?.text ?? older?.text ?? ""}`}
    >
      <header>
        {onDecide !== null && (
          <input
            type="checkbox"
            aria-label="Select the suggestion"
            checked={isSelected}
            onChange={({ currentTarget }) => onSelect(currentTarget.checked)}
          />
        )}
        <span class="badge accent">{kindNames[kind]}</span>
        {outdated && <span class="badge warning">outdated: a memory was changed since</span>}
        <span class="quiet">
          {sources[proposed_by]} <Time at={created_at} ago />
        </span>
        {isAllowed("audit.read") && <a href={linkTo("ledger", { record: audit_id })}>Record</a>}
      </header>
      {reason !== null && <p dir="auto">{reason}</p>}
      {quotes.map((quote, index) => (
        <blockquote key={index} dir="auto">
          {quote}
        </blockquote>
      ))}
      {older !== null && newer !== null && kind !== "change" ? (
        <SideBySide older={older} newer={newer} />
      ) : (
        <OneText older={older} newer={newer} />
      )}
      {(kind === "change" || kind === "create") && <OtherFields changes={suggestion.changes} />}
      {onDecide !== null && edited === null && (
        <footer>
          <Button
            type="button"
            data-act="accept"
            isOff={isBusy || outdated}
            onClick={() => onDecide({ accept: "accept" })}
          >
            Accept
          </Button>
          <Button type="button" data-act="refuse" isOff={isBusy} onClick={() => onDecide("refuse")}>
            Refuse
          </Button>
          {newer !== null && (
            <Button
              type="button"
              data-act="edit"
              isOff={isBusy || outdated}
              onClick={() => setEdited({ how: "accept", text: newer.text })}
            >
              Edit…
            </Button>
          )}
          {canMerge && (
            <Button
              type="button"
              data-act="merge"
              isOff={isBusy || outdated}
              onClick={() => setEdited({ how: "merge", text: `${older.text}\n${newer.text}` })}
            >
              Merge…
            </Button>
          )}
        </footer>
      )}
      {onDecide !== null && edited !== null && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy && edited.text.trim() !== "") onDecide({ accept: edited.how, content: edited.text });
          }}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            event.currentTarget.closest<HTMLElement>(".suggestion")?.focus();
            setEdited(null);
          }}
        >
          <textarea
            aria-label={edited.how === "merge" ? "Text of both memories" : "Text of the memory"}
            dir="auto"
            value={edited.text}
            ref={focusOnce}
            onInput={({ currentTarget }) => setEdited({ ...edited, text: currentTarget.value })}
          />
          <footer>
            <Button type="submit" class="primary" isOff={isBusy || edited.text.trim() === ""}>
              {edited.how === "merge" ? "Merge" : "Accept with this text"}
            </Button>
            <button type="button" onClick={() => setEdited(null)}>
              Cancel
            </button>
          </footer>
        </form>
      )}
    </article>
  );
}

/** When the field appears. */
function focusOnce(field: HTMLTextAreaElement | null): void {
  field?.focus();
}

interface ShownText {
  readonly text: string;
  /** Null: it is not stored yet. */
  readonly memory: AgentMemory | null;
}

/** The text before and the one after, or the two that look alike. */
function textsOf({ kind, memories, changes }: Suggestion): [ShownText | null, ShownText | null] {
  const [first = null, second = null] = memories;
  const stored = (memory: AgentMemory | null) => (memory === null ? null : { text: memory.content, memory });
  if (second !== null || kind === "delete") return [stored(first), stored(second)];
  const proposed = changes.map(({ after }) => after?.content).find((text) => typeof text === "string");
  return [stored(first), proposed === undefined ? null : { text: String(proposed), memory: null }];
}

interface TextsProps<Text> {
  readonly older: Text;
  readonly newer: Text;
}

function SideBySide({ older, newer }: TextsProps<ShownText>) {
  const pieces = differenceOf(older.text, newer.text);
  return (
    <div class="side-by-side">
      <Side
        title="Older, inactive after accepting"
        text={older}
        pieces={pieces.filter(({ kind }) => kind !== "added")}
      />
      <Side
        title={newer.memory === null ? "Proposed" : "Newer"}
        text={newer}
        pieces={pieces.filter(({ kind }) => kind !== "removed")}
      />
    </div>
  );
}

interface SideProps {
  readonly title: string;
  readonly text: ShownText;
  readonly pieces: readonly Piece[];
}

function Side({ title, text: { memory }, pieces }: SideProps) {
  return (
    <section>
      <p class="quiet">
        <strong>{title}</strong>
        {memory !== null && <Stored memory={memory} />}
      </p>
      <p class="difference" dir="auto">
        {pieces.map(({ kind, text }, index) => {
          if (kind === "same") return <span key={index}>{text}</span>;
          return kind === "removed" ? <del key={index}>{text}</del> : <ins key={index}>{text}</ins>;
        })}
      </p>
    </section>
  );
}

/** When its words were said, or else stored, and a way to it. */
function Stored({ memory }: { readonly memory: AgentMemory }) {
  const { subject } = useProject();
  return (
    <>
      {" "}
      <Time at={memory.origins?.at(-1)?.said_at ?? memory.created_at} />{" "}
      <a href={linkTo("memories", { subject, origin: "all", memory: memory.id })}>Memory</a>
    </>
  );
}

function OneText({ older, newer }: TextsProps<ShownText | null>) {
  const memory = older?.memory ?? null;
  return (
    <>
      {memory !== null && (
        <p class="quiet">
          <Stored memory={memory} />
        </p>
      )}
      {older !== null && newer === null ? (
        <p dir="auto">{older.text}</p>
      ) : (
        <Difference before={older?.text ?? ""} after={newer?.text ?? ""} />
      )}
    </>
  );
}

/** What accepting changes besides the text; of a new memory, what it has. */
function OtherFields({ changes }: { readonly changes: readonly SuggestedChange[] }) {
  const fields = changes.flatMap(({ before, after }) =>
    Object.entries(fieldTitles)
      .filter(([name]) => name !== "content" && after !== null && name in after)
      .map(([name, title]) => ({
        title,
        before: before === null ? null : valueText(before[name]),
        after: valueText(after?.[name]),
      }))
      .filter((field) => field.before !== null || !["none", "yes"].includes(field.after)),
  );
  if (fields.length === 0) return null;
  return (
    <dl class="facts">
      {fields.map(({ title, before, after }, index) => (
        <div key={index}>
          <dt>{title}</dt>
          <dd class="difference">
            {before === null ? (
              <bdi>{after}</bdi>
            ) : (
              <>
                <del>
                  <bdi>{before}</bdi>
                </del>{" "}
                <ins>
                  <bdi>{after}</bdi>
                </ins>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function valueText(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return [value].flat().join(", ") || "none";
}
