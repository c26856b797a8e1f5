// Owns the division of Markdown into its blocks: paragraphs, list items, quotes, tables and code, each word for word, with the headings above
// it (CommonMark 0.31, as far as it divides a text). Must never change or leave out a word of a block.

import { leadMaxCharacters } from "../../memory/limits.ts";
import { countCharacters, shorten } from "../../platform/text/characters.ts";
import { toLabel } from "../../platform/text/label.ts";
import { isListItem, withoutBullet } from "./formats/list-item.ts";
import { recordMaxBytes } from "./limits.ts";
import { type TextLine, tooLong } from "./text-lines.ts";

export type Block = { readonly line: number } & (
  | {
      readonly text: string;
      /** Outermost first; also the paragraph that introduces a list. */
      readonly headings: readonly string[];
      /** The list items in which it is, outermost first. */
      readonly parents: readonly string[];
    }
  | { readonly fault: string }
  | { readonly skipped: string }
);

interface Heading {
  readonly line: number;
  readonly level: number;
  readonly text: string;
  /** Whether anything is below it. */
  isUsed: boolean;
}

interface Item {
  readonly indent: number;
  readonly text: string;
}

interface Open {
  readonly line: number;
  readonly kind: "paragraph" | "item" | "raw" | "code" | "comment";
  readonly indent: number;
  text: string;
}

const fence = /^(`{3,}|~{3,})/;
const atxHeading = /^(#{1,6})(?:[ \t]+(.*))?$/;
/** From the first blank on: from each, a line of blanks would be read again and again. */
const endOfHeading = /(?<![ \t])[ \t]+#+$/;
const underline = /^(=+|-+)[ \t]*$/;
const thematicBreak = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
/** A line in bold type, which is a heading in many notes. */
const boldLine = /^\*\*([^*]+)\*\*:?$/;
const boldLevel = 7;

export async function* readBlocks(lines: AsyncIterable<TextLine>): AsyncGenerator<Block> {
  const reader = createReader();
  for await (const each of lines) {
    if ("fault" in each) {
      yield* reader.close();
      yield each;
    } else yield* reader.add(each.line, each.text);
  }
  yield* reader.end();
}

/** Headings and list items in one text that can be searched: as many of the inner ones as there is room for; null: there are none. */
export function leadOfHeadings(headings: readonly string[]): string | null {
  const parts = headings
    .map((each) => toLabel(each.replace(/[\s\p{Cc}]+/gu, " ")))
    .filter((each) => each !== "");
  let lead = shorten(parts.pop() ?? "", leadMaxCharacters);
  for (const part of parts.toReversed()) {
    const longer = `${part} / ${lead}`;
    if (countCharacters(longer) > leadMaxCharacters) break;
    lead = longer;
  }
  return toLabel(lead) === "" ? null : toLabel(lead);
}

interface State {
  headings: readonly Heading[];
  items: readonly Item[];
  /** What introduces the list. */
  intro: string | null;
  open: Open | null;
  /** A paragraph or an item that ends with a colon, until it is known what follows. */
  pending: Open | null;
  /** The fence that ends the code; null: no code is open. */
  closing: string | null;
}

/** The headings and items in which the next line is, and the block that is open. */
function createOutline() {
  const state: State = { headings: [], items: [], intro: null, open: null, pending: null, closing: null };

  const toBlock = ({ line, kind, text }: Open): Block => {
    if (kind === "comment") return { line, skipped: "is a comment" };
    if (text.length > recordMaxBytes) return { line, fault: tooLong };
    for (const heading of state.headings) heading.isUsed = true;
    const above = state.headings.map((each) => each.text);
    const headings = state.intro === null ? above : [...above, state.intro];
    return { line, text, headings, parents: state.items.map((each) => each.text) };
  };
  const settle = function* (): Generator<Block> {
    if (state.pending !== null) yield toBlock(state.pending);
    state.pending = null;
  };
  const leaveList = function* (): Generator<Block> {
    yield* settle();
    [state.items, state.intro] = [[], null];
  };
  const head = function* (line: number, level: number, text: string): Generator<Block> {
    yield* leaveList();
    yield* endHeadings(level);
    state.headings = [
      ...state.headings,
      { line, level, text: shorten(text.trim(), leadMaxCharacters), isUsed: false },
    ];
  };
  /** A heading is found with what is below it, so one with nothing below it is left out. */
  const endHeadings = function* (level: number): Generator<Block> {
    const ended = state.headings.filter((each) => each.level >= level && !each.isUsed && each.text !== "");
    for (const { line } of ended) yield { line, skipped: "is a heading with nothing below it" };
    state.headings = state.headings.filter((each) => each.level < level);
  };
  const close = function* (): Generator<Block> {
    const closed = state.open;
    [state.open, state.closing] = [null, null];
    if (closed === null || closed.text.trim() === "") return;
    const { kind, indent, text } = closed;
    const bold = kind === "paragraph" ? boldLine.exec(text)?.[1] : undefined;
    if (bold !== undefined) return yield* head(closed.line, boldLevel, bold);
    yield* settle();
    if ((kind === "paragraph" || kind === "item") && text.endsWith(":")) state.pending = closed;
    else {
      yield toBlock(closed);
      if (kind === "item") enter(indent, text);
    }
  };
  const enter = (indent: number, text: string) => {
    state.items = [...state.items, { indent, text: shorten(text, leadMaxCharacters) }];
  };
  /** Leaves the items in which a line with this indentation is not. */
  const outdent = (indent: number) => {
    state.items = state.items.filter((each) => each.indent < indent);
  };
  return { state, settle, leaveList, head, endHeadings, close, enter, outdent };
}

function createReader() {
  const { state, settle, leaveList, head, endHeadings, close, enter, outdent } = createOutline();

  const append = (text: string, separator: string) => {
    const { open } = state;
    if (open === null || open.text.length > recordMaxBytes) return;
    open.text = open.text === "" ? text : `${open.text}${separator}${text}`;
  };

  const addItem = function* (line: number, indent: number, text: string): Generator<Block> {
    yield* close();
    const opener = state.pending;
    if (opener?.kind === "paragraph" && opener.indent === 0) {
      [state.intro, state.pending] = [shorten(opener.text, leadMaxCharacters), null];
    } else if (opener !== null && opener.indent < indent + (opener.kind === "paragraph" ? 1 : 0)) {
      outdent(opener.indent);
      enter(opener.kind === "paragraph" ? opener.indent - 1 : opener.indent, opener.text);
      state.pending = null;
    } else yield* settle();
    outdent(indent);
    state.open = { line, kind: "item", indent, text: withoutBullet(text) };
  };

  const addText = function* (line: number, indent: number, text: string): Generator<Block> {
    const { open } = state;
    if (open?.kind === "paragraph" && underline.test(text)) {
      state.open = null;
      return yield* head(open.line, text.startsWith("=") ? 1 : 2, open.text);
    }
    if (thematicBreak.test(text)) {
      yield* close();
      return yield* leaveList();
    }
    const isRaw = /^[|>]/.test(text);
    if (isRaw && open?.kind === "raw") return append(text, "\n");
    if (!isRaw && (open?.kind === "paragraph" || open?.kind === "item")) return append(text, " ");
    yield* close();
    yield* indent === 0 ? leaveList() : settle();
    outdent(indent);
    state.open = { line, kind: isRaw ? "raw" : "paragraph", indent, text };
  };

  /** Code belongs to the text directly in front of it, and to one that ends with a colon. */
  const addFence = function* (line: number, indent: number, raw: string, mark: string): Generator<Block> {
    if (state.open?.kind !== "paragraph" && state.open?.kind !== "item") {
      yield* close();
      if (state.pending === null && indent === 0) yield* leaveList();
      [state.open, state.pending] = [state.pending ?? { line, kind: "code", indent, text: "" }, null];
    }
    append(raw, "\n");
    state.closing = mark;
  };
  const addCode = function* (raw: string, mark: string): Generator<Block> {
    append(raw, "\n");
    const text = raw.trim();
    if (text.startsWith(mark) && text.replaceAll(mark.charAt(0), "") === "") yield* close();
  };

  const addComment = function* (line: number, indent: number, text: string): Generator<Block> {
    if (state.open?.kind !== "comment") {
      yield* close();
      state.open = { line, kind: "comment", indent, text: "<!--" };
    }
    const end = text.indexOf("-->");
    if (end === -1) return;
    yield* close();
    const rest = text.slice(end + "-->".length).trim();
    if (rest !== "") yield* addText(line, indent, rest);
  };

  const add = function* (line: number, raw: string): Generator<Block> {
    const text = raw.trim();
    const indent = indentOf(raw);
    if (state.closing !== null) return yield* addCode(raw.trimEnd(), state.closing);
    if (state.open?.kind === "comment" || text.startsWith("<!--"))
      return yield* addComment(line, indent, text);
    if (text === "") return yield* close();
    const mark = fence.exec(text)?.[1];
    if (mark !== undefined) return yield* addFence(line, indent, raw.trimEnd(), mark);
    const heading = indent < 4 ? atxHeading.exec(text) : null;
    if (heading !== null) {
      yield* close();
      return yield* head(line, heading[1]?.length ?? 1, (heading[2] ?? "").replace(endOfHeading, ""));
    }
    if (isListItem(text) && !thematicBreak.test(text)) yield* addItem(line, indent, text);
    else yield* addText(line, indent, text);
  };

  const end = function* (): Generator<Block> {
    if (state.open?.kind === "comment") {
      yield { line: state.open.line, fault: "begins a comment that does not end" };
      state.open = null;
    }
    yield* close();
    yield* settle();
    yield* endHeadings(0);
  };
  return { add, close, end };
}

function indentOf(raw: string): number {
  const [white = ""] = /^[ \t]*/.exec(raw) ?? [];
  return white.replaceAll("\t", "    ").length;
}
