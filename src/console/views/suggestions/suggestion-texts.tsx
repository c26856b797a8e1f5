// What a suggestion would change: the words that differ in one text or in two side by side, and the other fields with both values.

import type {
  AgentMemory,
  SuggestedChange,
  Suggestion,
} from "../../../../clients/typescript/src/generated/models.ts";
import { Difference, Pieces, ValueChange } from "../../parts/text/difference.tsx";
import { differenceOf, type Piece } from "../../parts/text/text-difference.ts";
import { Time } from "../../parts/text/time.tsx";
import { linkTo, useProject } from "../../project.ts";
import { fieldTitles } from "../memories/memory-fields.ts";

interface ShownText {
  readonly text: string;
  /** Null: it is not stored yet. */
  readonly memory: AgentMemory | null;
}

/** The text before and the one after, or the two that look alike. */
export function textsOf({ kind, memories, changes }: Suggestion): [ShownText | null, ShownText | null] {
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

export function SideBySide({ older, newer }: TextsProps<ShownText>) {
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
      <Pieces pieces={pieces} />
    </section>
  );
}

/** When its words were said, or else stored, and a link to it. */
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

export function OneText({ older, newer }: TextsProps<ShownText | null>) {
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
export function OtherFields({ changes }: { readonly changes: readonly SuggestedChange[] }) {
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
            {before === null ? <bdi>{after}</bdi> : <ValueChange before={before} after={after} />}
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
