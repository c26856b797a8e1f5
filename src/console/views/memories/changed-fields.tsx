// What differs between two versions of a memory: words of the text, and the other fields with both values.

import { Difference, ValueChange } from "../../parts/text/difference.tsx";
import { changedNames, fieldText, fieldTitles, type MemoryFields } from "./memory-fields.ts";

interface ChangedFieldsProps {
  readonly before: MemoryFields;
  readonly after: MemoryFields;
  /** For screen readers. */
  readonly label?: string;
}

export function ChangedFields({ before, after, label = "What changes" }: ChangedFieldsProps) {
  const names = changedNames(before, after);
  if (names.length === 0) return null;
  return (
    <section class="changed-fields" aria-label={label}>
      {names.includes("content") && <Difference before={before.content} after={after.content} />}
      <dl class="facts">
        {names
          .filter((name) => name !== "content")
          .map((name) => (
            <div key={name}>
              <dt>{fieldTitles[name]}</dt>
              <dd class="difference">
                <ValueChange
                  before={fieldText(before, name) || "none"}
                  after={fieldText(after, name) || "none"}
                />
              </dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
