// Owns the front matter of Markdown files: YAML between two lines that are ---, at the beginning. Other lines there are text.

import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { recordMaxBytes } from "./limits.ts";
import type { TextLine } from "./text-lines.ts";
import { firstTime, isNothing } from "./values.ts";

/** The lines behind it. @param onFields is called before them */
export async function* readFrontMatter(
  lines: AsyncIterable<TextLine>,
  onFields: (fields: JsonObject) => void,
): AsyncGenerator<TextLine> {
  let held: TextLine[] | null = null;
  let bytes = 0;
  for await (const each of lines) {
    const text = "text" in each ? each.text : "";
    if (each.line === 1 && text.trim() === "---") held = [each];
    else if (held === null) yield each;
    else {
      held.push(each);
      bytes += text.length + 1;
      if (/^(?:---|\.\.\.)\s*$/.test(text)) {
        yield* settle(held, onFields);
        held = null;
      } else if (bytes > recordMaxBytes) {
        yield* held;
        held = null;
      }
    }
  }
  if (held === null) return;
  const [, second] = held;
  if (second !== undefined && "text" in second && /^[\w-]+:/.test(second.text))
    yield { line: 1, fault: "begins front matter that does not end; end it with a line that is ---" };
  yield* held;
}

function* settle(held: readonly TextLine[], onFields: (fields: JsonObject) => void): Generator<TextLine> {
  const texts = held.slice(1, -1).map((each) => ("text" in each ? each.text : ""));
  yield* held.filter((each) => "fault" in each);
  try {
    const fields: unknown = Bun.YAML.parse(texts.join("\n"));
    if (isObject(fields)) onFields(fields);
    else if (fields !== null) yield* held;
  } catch {
    yield { line: 1, fault: "begins front matter that is not valid YAML" };
  }
}

/** A list, or one text with commas. */
export function tagsIn({ tags }: JsonObject): string[] {
  const given = typeof tags === "string" ? tags.split(",") : Array.isArray(tags) ? tags.map(String) : [];
  return given.map((tag) => tag.trim().replace(/^#/, "")).filter((tag) => tag !== "");
}

/** When the note was written, in the names that programs for notes use; undefined: it does not say. */
export function dateIn({ created, created_at, date }: JsonObject): Json | undefined {
  const time = firstTime(created, created_at, date);
  return isNothing(time) ? undefined : time;
}
