// Owns the notes of Basic Memory: Markdown files with front matter, observations ("- [category] text #tag (context)") and relations
// ("- type [[Note]]"). Each observation and relation is a memory; other text of a note is left out.
// Sources: https://docs.basicmemory.com/concepts/knowledge-format and NOTE-FORMAT.md in github.com/basicmachines-co/basic-memory.

import { type FoundMemory, sourceIdOf } from "../entry.ts";
import { dateIn, readFrontMatter, tagsIn } from "../front-matter.ts";
import { aboutSubject } from "../subject.ts";
import { readTextLines } from "../text-lines.ts";
import { saidAt } from "../values.ts";
import type { ImportFormat } from "./format.ts";

const name = "basic-memory";
const observation = /^\s*[-*+]\s+\[(?![ xX-]\])([^\]\n]+)\](?!\()\s+(\S.*)$/;
const bullet = /^\s*[-*+]\s+/;
const hashTag = /(?:^|\s)#([^\s#()]+)/g;

interface Note {
  title: string;
  readonly tags: string[];
  said: Pick<FoundMemory, "origins">;
}

export const basicMemory: ImportFormat = {
  description: "notes of Basic Memory: a Markdown file, or a directory of them",
  detect({ text }) {
    if (/^\ufeff?---\r?\n(?:.*\r?\n)*?permalink:/.test(text)) return "has front matter with a permalink";
    return text.split(/\r?\n/).some((line) => observation.test(line))
      ? 'has observations such as "- [category] ..."'
      : null;
  },
  async *read({ stream, name: file }) {
    const note: Note = { title: file.replace(/^.*[\\/]/, "").replace(/\.md$/i, ""), tags: [], said: {} };
    let [found, isInCode] = [false, false];
    const lines = readFrontMatter(readTextLines(stream), (fields) => {
      if (typeof fields.title === "string" && fields.title.trim() !== "") note.title = fields.title;
      note.tags.push(...tagsIn(fields));
      note.said = saidAt(dateIn(fields));
    });
    for await (const each of lines) {
      if ("fault" in each) {
        yield each;
        continue;
      }
      const { line, text } = each;
      if (/^\s*(```|~~~)/.test(text)) isInCode = !isInCode;
      const memory = isInCode ? null : toMemory(text, note);
      if (memory === null) continue;
      found = true;
      yield { line, memory: { ...memory, ...note.said } };
    }
    if (!found) yield { line: 1, skipped: "begins a note without observations and relations" };
  },
};

function toMemory(text: string, { title, tags }: Note): FoundMemory | null {
  const [, category, observed] = observation.exec(text) ?? [];
  if (category !== undefined && observed !== undefined) {
    const own = [...observed.matchAll(hashTag)].map(([, tag = ""]) => tag);
    const content = observed.replace(hashTag, "").trim();
    const all = [...tags, category.trim(), ...own];
    return { content: aboutSubject(title, content), tags: all, source_id: sourceIdOf(name, title, content) };
  }
  const related = findRelation(text);
  if (related === null) return null;
  const { type, target, rest } = related;
  const verb = type.replaceAll("_", " ").trim() || "relates to";
  const content = `${title} ${verb} ${target}${rest}`.trim();
  return {
    content,
    ...(tags.length > 0 && { tags }),
    source_id: sourceIdOf(name, title, verb, target + rest),
  };
}

/** Reads each character once: a regular expression would try each "[[" of a long line with all that follows. */
function findRelation(text: string): { type: string; target: string; rest: string } | null {
  const [start] = bullet.exec(text) ?? [];
  if (start === undefined) return null;
  for (let from = start.length; ; ) {
    const open = text.indexOf("[[", from);
    const close = open === -1 ? -1 : text.indexOf("]", open + 2);
    if (close === -1) return null;
    if (close > open + 2 && text[close + 1] === "]") {
      const target = text.slice(open + 2, close);
      return { type: text.slice(start.length, open).trimEnd(), target, rest: text.slice(close + 2) };
    }
    from = close + 1;
  }
}
