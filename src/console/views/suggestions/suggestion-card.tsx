// One suggestion: what it would change, word by word, who makes it and why, and the buttons that decide.

import { useState } from "preact/hooks";
import type {
  Suggestion,
  SuggestionKind,
  SuggestionSource,
} from "../../../../clients/typescript/src/generated/models.ts";
import { isAllowed } from "../../access.ts";
import { Button } from "../../parts/button.tsx";
import { Time } from "../../parts/text/time.tsx";
import { linkTo } from "../../project.ts";
import { OneText, OtherFields, SideBySide, textsOf } from "./suggestion-texts.tsx";

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
