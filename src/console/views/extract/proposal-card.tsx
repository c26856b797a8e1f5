// One item of an extraction: what it would become, and the decision about it.

import { Select } from "../../parts/field.tsx";
import { Difference } from "../../parts/text/difference.tsx";
import { Time } from "../../parts/text/time.tsx";
import type { Proposal } from "./proposal.ts";

interface ProposalCardProps {
  readonly proposal: Proposal;
  readonly onChange: (changes: Partial<Proposal>) => void;
}

const types = { rule: "Rule", fact: "Fact", context: "Context" } as const;
const ways = { create: "Store as a new memory", update: "Update the memory" } as const;
const contentMaxCharacters = 10_000;

export function ProposalCard({ proposal, onChange }: ProposalCardProps) {
  const { item, known, decision, how, content, type, importance, fault } = proposal;
  const isStored = decision === "stored";
  const decide = (next: "accepted" | "refused") => onChange({ decision: decision === next ? "open" : next });
  return (
    <article class="proposal" data-decision={decision} tabIndex={-1} aria-label={content.slice(0, 100)}>
      <header>
        <span class={`badge ${badges[item.action]}`}>{describe(proposal)}</span>
        {item.expires_at !== null && (
          <span class="quiet">
            until <Time at={item.expires_at} />
          </span>
        )}
      </header>
      {isStored ? (
        <p>
          <bdi>{content}</bdi>
        </p>
      ) : (
        <textarea
          aria-label="Content"
          dir="auto"
          rows={2}
          maxLength={contentMaxCharacters}
          value={content}
          onInput={({ currentTarget }) => onChange({ content: currentTarget.value })}
          onKeyDown={({ key, currentTarget }) => {
            if (key === "Escape") currentTarget.closest<HTMLElement>(".proposal")?.focus();
          }}
        />
      )}
      {known !== null && known.content !== content && !isStored && (
        <Difference before={known.content} after={content} />
      )}
      {fault !== null && <p class="fault">{fault}</p>}
      {isStored ? (
        <span class="badge good">stored</span>
      ) : (
        <footer>
          <button type="button" aria-pressed={decision === "accepted"} onClick={() => decide("accepted")}>
            Accept
          </button>
          <button type="button" aria-pressed={decision === "refused"} onClick={() => decide("refused")}>
            Refuse
          </button>
          {known !== null && (
            <Select
              label="How to store it"
              value={how}
              options={ways}
              onChange={(next) => onChange({ how: next })}
            />
          )}
          {how === "create" && (
            <>
              <Select
                label="Type"
                value={type}
                options={types}
                onChange={(next) => onChange({ type: next })}
              />
              <input
                type="number"
                aria-label="Importance"
                min={0}
                max={1}
                step={0.05}
                value={importance}
                onChange={({ currentTarget }) =>
                  onChange({ importance: Math.min(1, Math.max(0, Number(currentTarget.value))) })
                }
              />
            </>
          )}
        </footer>
      )}
    </article>
  );
}

const badges = { created: "good", updated: "accent", skipped: "warning" } as const;

function describe({ item: { action, match }, known }: Proposal): string {
  const similarity = match === null ? "" : `, similarity ${match.similarity.toFixed(3)}`;
  if (action === "created") return "new";
  if (match?.id === null) return `the same as another item${similarity}`;
  if (action === "updated") return `updates a memory${similarity}`;
  return `${known?.is_active === false ? "like an inactive memory" : "duplicate"}${similarity}`;
}
