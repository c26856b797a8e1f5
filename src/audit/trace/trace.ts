// Owns which records hold a text that is to be erased: those that name its memory, those that the memory came from, and those that repeat
// the text without an id. Nothing is stored for it: the relations are read from the payloads, oldest first, so they are there for the
// records of every version. Pure. Must never follow a text into the records of another project.

import { isObject, type Json, textIn } from "../../platform/json/json.ts";
import { toWordText } from "../../platform/text/word-text.ts";
import { toMemoryEvent } from "../memory-events.ts";
import { findHeldParts, type HeldText } from "../parts/held-parts.ts";
import { presentParts } from "../parts/stored-payload.ts";
import type { ProvableRecord } from "../record.ts";
import type { AuditRecordDetail } from "../record-schema.ts";
import { toAuditRecordDetail } from "../record-view.ts";
import { createTextIndex, parse, stringsIn, wordsIn } from "./text-index.ts";
import { createOriginCheck, type RecordScope, scopeOf } from "./trace-scope.ts";
import { contentMin, distinctiveWordsOf, messageMin, partsOf } from "./trace-texts.ts";
import type { Held, Holding, RecordLocation, Trace } from "./traced.ts";

const textsMax = 5_000;

export interface Tracer {
  /** Takes the records of all chains, oldest first. @returns null: the record holds nothing */
  take(place: RecordLocation, record: ProvableRecord): Held | null;
  trace(): Trace;
}

export function createTracer(from: Trace): Tracer {
  const memories = new Set(from.memories);
  const records = new Set(from.records);
  const made = new Set(from.made);
  const sources = new Set(from.sources);
  const projects = new Set(from.projects);
  const { within } = from;
  const texts = createTracedTexts(from);
  const { addText, addContent } = texts;
  const isFromConversation = createOriginCheck(within);
  const isRepeated = (
    { project }: RecordLocation,
    text: string,
    scope: Pick<RecordScope, "isOwn">,
  ): boolean =>
    (scope.isOwn && projects.has(project) && texts.repeats(text)) || isFromConversation(text, scope);
  const findHolding = (
    place: RecordLocation,
    payload: string,
    hidden: readonly string[],
    scope: RecordScope,
  ): Holding | null => {
    const named = [place.id, ...idsIn(payload)];
    if (named.some(isTraced) && isOrigin(place.id, payload)) return "origin";
    const said = [payload, ...hidden];
    if (said.some((text) => idsIn(text).some(isMemory))) return "shown";
    return said.some((text) => isRepeated(place, text, scope)) ? "repeated" : null;
  };
  /** Adds the record to those of which every word is looked for, if all its words are those of one of them. */
  const isOrigin = (id: string, payload: string): boolean => {
    const { extracted, repeated, injection } = linksOf(parse(payload));
    const isAll = [extracted, injection].some((link) => link !== null && records.has(link));
    if (isAll) records.add(id);
    return isAll || [id, extracted, repeated].some((link) => link !== null && isTraced(link));
  };
  const isTraced = (id: string): boolean => records.has(id) || sources.has(id);
  const isMemory = (id: string): boolean => memories.has(id) || made.has(id);

  const follow = (place: RecordLocation, detail: AuditRecordDetail, payload: string): void => {
    const value = parse(payload);
    const { extracted, injection } = linksOf(value);
    if (records.has(place.id)) {
      projects.add(place.project);
      if (extracted !== null) records.add(extracted);
      for (const id of memoriesMadeBy(detail)) {
        made.add(id);
        contentsOf(value, detail, id).forEach(addContent);
      }
      for (const text of ownWordsOf(detail)) addText(text, messageMin);
      for (const text of proposedBy(detail)) addContent(text);
    }
    if (isTraced(place.id) && injection !== null) sources.add(injection);
    for (const id of new Set(idsIn(payload))) {
      if (!memories.has(id)) continue;
      const contents = contentsOf(value, detail, id);
      if (contents.length > 0) projects.add(place.project);
      contents.forEach(addContent);
      if (detail.action === "memory.extract" && extracted !== null && contents.length > 0)
        sources.add(extracted);
    }
    // The model was told the text, so its answer may repeat it in other words, and later requests repeat the answer.
    for (const answer of answersIn(detail)) if (texts.tells(answer)) addText(answer, messageMin);
  };

  /** Null: the whole payload. */
  const findParts = (
    place: RecordLocation,
    { content, salt, payload }: ProvableRecord,
    found: Pick<HeldText, "holding" | "detail" | "isOther"> & Pick<RecordScope, "isOwn">,
  ): Held["parts"] => {
    const parts = content === null || salt === null ? null : presentParts({ content, salt });
    if (parts === null || payload === null) return null;
    const named = [...new Set(parts.flatMap(({ text }) => idsIn(text)))].filter(isMemory);
    const value = parse(payload);
    const contents = named
      .flatMap((id) => contentsOf(value, found.detail, id))
      .map((text) => toWordText(String(text)))
      .filter((text) => text.trim() !== "");
    return findHeldParts(parts, {
      ...found,
      isTarget: records.has(place.id),
      memories: named,
      repeats: (text) => isRepeated(place, text, found),
      says: (text) => {
        const said = wordsIn(text);
        return contents.some((each) => said.includes(each));
      },
    });
  };

  return {
    take(place, record) {
      const { payload } = record;
      if (payload === null) return null;
      const scope = scopeOf(record, within);
      const holding = findHolding(place, payload, hiddenTexts(record), scope);
      if (holding === null) return null;
      const detail = toAuditRecordDetail(record, false);
      if (scope.isOwn && !scope.isOther) follow(place, detail, payload);
      const parts = findParts(place, record, { holding, detail, ...scope });
      return parts?.length === 0 ? null : { holding, parts };
    },
    trace: () => ({
      memories: [...memories],
      records: [...records],
      made: [...made],
      sources: [...sources],
      projects: [...projects],
      ...texts.all(),
      ...(within === undefined ? {} : { within }),
    }),
  };
}

/** The texts that are looked for, and the words that tell of them. */
function createTracedTexts(from: Pick<Trace, "texts" | "distinctiveWords">) {
  const texts = createTextIndex(from.texts);
  const distinctiveWords = new Set(from.distinctiveWords);
  const addText = (text: Json | undefined, min: typeof contentMin): void => {
    if (typeof text !== "string" || texts.size >= textsMax) return;
    for (const part of partsOf(toWordText(text), min)) texts.add(part);
  };
  const addContent = (text: Json | undefined): void => {
    addText(text, contentMin);
    if (typeof text === "string") for (const word of distinctiveWordsOf(text)) distinctiveWords.add(word);
  };
  return {
    addText,
    addContent,
    repeats: texts.repeats,
    tells: (text: string) =>
      toWordText(text)
        .split(" ")
        .some((word) => distinctiveWords.has(word)),
    all: () => ({ texts: texts.all(), distinctiveWords: [...distinctiveWords] }),
  };
}

/** The texts of the parts that the payload object does not have, because the part around them is erased. */
function hiddenTexts({ content, salt, erased }: ProvableRecord): readonly string[] {
  if (content === null || salt === null || erased.length === 0) return [];
  const isInside = (place: string) => erased.some((around) => place.startsWith(`${around}/`));
  const parts = presentParts({ content, salt }) ?? [];
  return parts.flatMap(({ places, text }) => (places.some(isInside) ? [text] : []));
}

interface Links {
  /** The record whose words an extraction has read. */
  readonly extracted: string | null;
  /** The record whose answer was repeated. */
  readonly repeated: string | null;
  /** The record of the injection that was performed for the call. */
  readonly injection: string | null;
}

function linksOf(payload: Json): Links {
  if (!isObject(payload)) return { extracted: null, repeated: null, injection: null };
  const { remembers, repeats, injection } = payload;
  return {
    extracted: isObject(remembers) ? textIn(remembers.record) : null,
    repeated: textIn(repeats),
    injection: textIn(injection),
  };
}

const makingActions: ReadonlySet<string> = new Set([
  "memory.create",
  "memory.create_batch",
  "memory.put",
  "memory.update",
  "memory.extract",
]);

function memoriesMadeBy({ action, is_success, memory_results }: AuditRecordDetail): readonly string[] {
  if (!is_success || !makingActions.has(action) || !Array.isArray(memory_results)) return [];
  return memory_results.flatMap((result) => {
    return isObject(result) && typeof result.id === "string" ? [result.id] : [];
  });
}

/** What the caller has said, and what was answered. */
function ownWordsOf(detail: AuditRecordDetail): readonly string[] {
  const { memory_query: asked } = detail;
  return [...(Array.isArray(asked) ? stringsIn(asked) : []), ...answersIn(detail)];
}

/** What a call has proposed is shown by each record that shows the suggestion. */
function proposedBy({ action, request_body }: AuditRecordDetail): readonly Json[] {
  if (action !== "suggestion.create" || !isObject(request_body)) return [];
  const { content = null, reason = null, quotes } = request_body;
  return [content, reason, ...stringsIn(quotes)];
}

/** What a model has answered. What other operations put out is in their results. */
function answersIn({ action, output_content }: AuditRecordDetail): readonly string[] {
  return action.startsWith("gateway.") ? stringsIn(output_content) : [];
}

/** Everything that a record says about the content of a memory: what it is, what it was, and the sentence from which it came. */
function contentsOf(value: Json, detail: AuditRecordDetail, id: string): readonly Json[] {
  const previousValues = isObject(value) ? value.former_values : undefined;
  const event = toMemoryEvent({ detail, previousValues }, id);
  const said = [event?.values?.content, event?.former?.content, event?.evidence];
  return [...said, ...objectsWith(value, id).flatMap(({ content, evidence }) => [content, evidence])].filter(
    (text) => typeof text === "string",
  );
}

/** The objects that have this id, or were matched with it. */
function objectsWith(value: Json, id: string): { readonly content?: Json; readonly evidence?: Json }[] {
  if (Array.isArray(value)) return value.flatMap((each) => objectsWith(each, id));
  if (!isObject(value)) return [];
  const { match } = value;
  const isMatch = value.id === id || (isObject(match) && match.id === id);
  return [...(isMatch ? [value] : []), ...Object.values(value).flatMap((each) => objectsWith(each, id))];
}

/** What has the form of an id. A payload can have thousands of them, and so can a trace. */
function idsIn(text: string): readonly string[] {
  return text.match(/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g) ?? [];
}
