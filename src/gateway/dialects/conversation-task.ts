// Owns the recognition of requests that a chat page sends for itself: a title, tags, follow-up questions, a summary or a search query for a
// conversation that is quoted in the request. They have a form, not a wording: one message of the user, whose instruction speaks for
// nobody, and a conversation with its roles. Pure. Must never take the words of a person for one: then nothing of them is remembered.

import type { Turn } from "./turns.ts";
import { textsOf } from "./turns.ts";

/** A quoted conversation: an element named for it, or messages in JSON. */
const elements =
  /<([a-z_-]*(?:chat|conversation|dialog|history|messages|transcript)[a-z_-]*)>[\s\S]*<\/\1>|\{[^{}]*"role"\s*:\s*"user"[\s\S]*\}/i;
/** Or lines that begin with the roles of chat APIs. A person quotes people, who have other names. */
const ofUser = /^[\s>|*#[("-]*(?:user|human)\b[\])"*]*\s*[:：]/im;
const ofAssistant = /^[\s>|*#[("-]*(?:assistant|ai|bot|chatbot|model|response)\b[\])"*]*\s*[:：]/im;

/** What is asked for. In JSON, also where the instruction is in a language that is not listed. */
const wanted = new RegExp(
  [
    String.raw`\b(?:title|headline|tags?|topics?|categor(?:y|ies)|keywords?|labels?|follow[- ]?ups?|summar(?:y|i[sz]e|i[sz]ing)|quer(?:y|ies)|autocompletion|name (?:this|the|for))\b`,
    String.raw`\b(?:titel|titres?|t[ií]tulos?|titolo|etiquetas?|schlagw[oö]rter|stichw[oö]rter|zusammenfass\p{L}*|r[eé]sum\p{L}*|resumen|riassunto|resumo)\b`,
    "标题|標題|主题|标签|总结|摘要|タイトル|要約|제목|요약|заголовок",
    String.raw`"(?:title|tags|follow_?ups?|queries|summary|topics?)"\s*:`,
  ].join("|"),
  "iu",
);
/** An instruction of a program speaks about the user, not for one. */
const firstPerson =
  /(?<![\p{L}'’])(?:I|I['’]\p{L}+|my|me|mine|myself|we|our|us|ich|mein\p{L}*|mir|mich|wir|unser\p{L}*|je|mon|mes|nous|notre|mi|mis|nosotros|nuestr\p{L}*)(?![\p{L}'’])/iu;
/** What belongs to the conversation in an instruction: its heading. */
const aboutConversation = /\b(?:chat|conversation|dialog(?:ue)?|messages?|discussion|exchange|transcript)\b/i;
const instructionMaxCharacters = 8_000;

/** @param instructions texts of instructions that are no messages */
export function isConversationTask(turns: readonly Turn[], instructions: readonly string[]): boolean {
  const said = turns.filter(({ speaker }) => speaker !== "instructions");
  const [only] = said;
  if (said.length !== 1 || only?.speaker !== "user") return false;
  const text = textsOf(only.content).join("\n");
  const divided = divide(text);
  if (divided === null) return false;
  const { before, after } = divided;
  const system = [
    ...instructions,
    ...turns.flatMap(({ speaker, content }) => (speaker === "instructions" ? textsOf(content) : [])),
  ];
  // The instruction of a program is beside the quote, or in the system prompt alone.
  const own = `${before}\n${after}`.trim();
  if (own.length > instructionMaxCharacters || firstPerson.test(own)) return false;
  return wanted.test(wordsBesideConversation(own) === "" ? system.join("\n") : own);
}

/** A heading in front of the quote, such as "Conversation:", asks for nothing. */
function wordsBesideConversation(text: string): string {
  return text
    .replace(/[\s#*_`:>|-]+/g, " ")
    .trim()
    .replace(/^(?:the )?(?:chat )?(?:conversation|history|messages|transcript)$/i, "");
}

/** What is in front of the quoted conversation and behind it; null: none is quoted. */
function divide(text: string): { readonly before: string; readonly after: string } | null {
  const element = elements.exec(text);
  if (element !== null) {
    return { before: text.slice(0, element.index), after: text.slice(element.index + element[0].length) };
  }
  const user = ofUser.exec(text);
  if (user === null) return null;
  const before = text.slice(0, user.index);
  // After the first message of a conversation there is no answer yet; then the instruction says what is quoted.
  if (!ofAssistant.test(text.slice(user.index)) && !aboutConversation.test(before)) return null;
  // A message may have paragraphs, so only the last one can be an instruction, and only if none is in front.
  const last =
    text
      .slice(user.index)
      .split(/\n\s*\n/)
      .at(-1) ?? "";
  const isQuoted = ofUser.test(last) || ofAssistant.test(last) || before.trim() !== "" || !wanted.test(last);
  return { before, after: isQuoted ? "" : last };
}
