// The prompt section that an injection returns, with its budget as a slider.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Injection } from "../../../../clients/typescript/src/index.ts";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { countOf, countText } from "../../parts/text/count.tsx";
import { withBudget } from "./prompt-budget.ts";

interface InjectedPromptProps {
  /** Without a budget. */
  readonly injection: Injection;
  /** In characters; null: without a limit. */
  readonly budget: number | null;
  readonly onBudget: (budget: number | null) => void;
  /** Below the prompt. */
  readonly children: ComponentChildren;
}

export function InjectedPrompt({ injection, budget, onBudget, children }: InjectedPromptProps) {
  const id = useId();
  const { characters: all, results, rules } = injection;
  const { lines, characters } = withBudget(injection, budget);
  const omitted = lines.filter(({ isOmitted }) => isOmitted).length;
  // As the server writes it: a section has no heading when all of its lines are omitted.
  const kept = withoutEmptySections(lines.filter(({ isOmitted }) => !isOmitted).map(({ text }) => text));
  return (
    <section class="injected">
      <header>
        <h2>Injected prompt</h2>
        <span class="quiet count">
          {countOf(rules.length, "rule")}, {countText(results.length - omitted)} of{" "}
          {countOf(results.length, "fact or context", "facts and contexts")}
        </span>
      </header>
      {injection.prompt === "" ? (
        <p class="quiet">Nothing is injected: no rule, and no fact or context is relevant enough.</p>
      ) : (
        <>
          <div class="budget">
            <label for={id}>Budget</label>
            <input
              id={id}
              type="range"
              min={0}
              max={all}
              value={budget ?? all}
              aria-valuetext={countOf(Math.min(budget ?? all, all), "character")}
              onInput={({ currentTarget }) => {
                const value = Number(currentTarget.value);
                onBudget(value >= all ? null : value);
              }}
            />
            <output for={id} class="count">
              {budget === null
                ? `no limit · ${countOf(all, "character")}`
                : `${countText(characters)} of ${countOf(budget, "character")}`}
            </output>
            {omitted > 0 && <span class="badge warning">{omitted} omitted</span>}
            <CopyText text={kept === "" ? "" : `${kept}\n`} what="the prompt" shownCharacters={0} />
          </div>
          <pre class="prompt">
            {lines.map(({ text, result, isOmitted }, at) =>
              isOmitted ? (
                <del key={at}>{`${text}\n`}</del>
              ) : (
                <span
                  key={at}
                  data-kind={text.startsWith("- (") ? (result === null ? "rule" : "found") : "form"}
                >
                  {`${text}\n`}
                </span>
              ),
            )}
          </pre>
        </>
      )}
      {children}
    </section>
  );
}

function withoutEmptySections(lines: readonly string[]): string {
  return lines
    .filter((line, at) => {
      const [before = "", next = ""] = [lines[at - 1], lines[at + 1]];
      return !(isEmptySection(line, next) || isEmptySection(before, line));
    })
    .join("\n");
}

function isEmptySection(opening: string, closing: string): boolean {
  return /^<(?:facts|contexts)>$/.test(opening) && closing === opening.replace("<", "</");
}
