// Owns the speaker of a line: "Name: text", "[date] Name: text", "<name> text". Must never mistake "Note: ..." for a person.

import type { Origin } from "../../../memory/origin.ts";
import { words } from "./lexicon/lexicon.ts";

export interface Speaker {
  /** Null: it is not known. */
  readonly name: string | null;
  readonly role: "person" | "assistant" | "unknown";
  /** The person or assistant that "you" refers to; null if that is not clear. */
  readonly addressee: string | null;
}

export interface Label {
  readonly speaker: Speaker;
  /** The date as written in the line; null without one. */
  readonly date: string | null;
  /** Number of characters of the label, before the spoken text. */
  readonly length: number;
}

/** Null: it is neither the assistant, nor somebody who speaks to it. */
export function roleOf({ role, addressee }: Speaker): Origin["role"] {
  if (role === "assistant") return "assistant";
  return addressee === "the assistant" ? "user" : null;
}

/** Who speaks in a message with the role user. */
export const userOfAssistant: Speaker = { name: null, role: "person", addressee: "the assistant" };

const users = words(
  "user human me you client customer benutzer nutzer utilisateur usuario usuário utente visitor",
);
const assistants = words(
  "assistant ai bot chatbot chatgpt gpt claude copilot system model tool agent assistent asistente assistente gemini",
);
/** Words before a colon that are not names. */
const notPeople = words(
  `note notes decision decisions todo todos important warning caution tip fix feat feature chore docs doc refactor test tests perf
   build ci style revert release action actions deadline attendees agenda present absent participants summary update status
   question answer example examples usage install installation requirements prerequisites context background goal goals scope risk
   risks blocker blockers next owner owners date time location place subject title topic rule rules fact facts reminder correction
   ps p.s fyi tldr edit info error debug warn fatal trace problem solution result results conclusion outcome issue bug task tasks
   hint remark database language runtime framework stack backend frontend editor timezone email phone address name role license
   version versions platform environment production staging default output input see also step steps reason why how what when where
   who pros cons discussion discussed agreed resolved approved rejected dates due priority policy constraint constraints http https
   wichtig hinweis achtung beschluss entscheidung frist aufgabe notiz regel termin ergebnis thema
   décision règle échéance important remarque objet décisions regla decisión plazo nota importante regra decisão prazo
   regola decisione scadenza assunto oggetto`,
);

/** Words of replies, as in "Comment (Ann):". */
const replies = words(
  "comment reply answer response kommentar antwort commentaire réponse comentario respuesta comentário resposta commento risposta",
);

const bracketDate = String.raw`\[(?<bracket>[^\]\n]{4,40})\]\s{0,4}[-–]?\s{0,2}`;
const parenDate = String.raw`\((?<paren>[^)\n]{4,40})\)\s{0,4}`;
const plainDate = String.raw`(?<plain>\d{1,4}[-./]\d{1,2}[-./]\d{2,4},?(?:[ T]\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?Z?)?|\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?)\s{0,4}[-–]?\s{0,2}`;
const person = String.raw`(?<name>[\p{L}][\p{L}\p{N}_'’.-]{0,24}(?: [\p{L}\p{N}][\p{L}\p{N}_'’.-]{0,24}){0,2})`;
const after = String.raw`(?: \((?<after>[^)\n]{1,40})\))?`;
const labelled = new RegExp(
  `^(?:${bracketDate}|${parenDate}|${plainDate})?[*_]{0,2}(?:<(?<nick>[\\p{L}\\p{N}_-]{1,25})>|${person}${after}[*_]{0,2}[ \u00A0\u202F]?:[*_]{0,2})(?=\\s)\\s{1,4}(?=\\S)`,
  "u",
);

const headlineMax = 60;
const headline = new RegExp(
  String.raw`^(?:#{1,6} )?[*_]{0,2}${person}[*_]{0,2}:?[*_]{0,2}(?:\s{1,4}[\[(]?(?<time>\d{1,2}:\d{2}(?: ?[AaPp][Mm])?)[\])]?)?$`,
  "u",
);

/**
 * Finds the speakers in all lines, and returns a function that reads the label of one line.
 * @param isMessage whether the speaker of the lines is known: a single label is then a part of what is said, such as "Postgres: ..."
 */
export function findSpeakers(lines: readonly string[], isMessage = false): (line: string) => Label | null {
  const counts = new Map<string, number>();
  let labels = 0;
  let filled = 0;
  for (const line of lines) {
    if (line !== "") filled += 1;
    const match = matchLabel(line);
    if (match === null) continue;
    labels += 1;
    counts.set(match.name, (counts.get(match.name) ?? 0) + (match.date === null && !match.isReply ? 1 : 2));
  }
  const isChat = labels >= 2 && labels * 2 >= filled;
  const isSpeaker = (name: string) => {
    const key = name.toLowerCase();
    if (users.has(key) || assistants.has(key)) return true;
    return (counts.get(name) ?? 0) >= 2 || isChat || (labels === 1 && filled <= 2 && !isMessage);
  };
  const speakers = [...counts.keys()].filter(isSpeaker);
  return (line) => {
    const match = matchLabel(line);
    if (match === null || !isSpeaker(match.name)) return null;
    return { speaker: toSpeaker(match.name, speakers), date: match.date, length: match.length };
  };
}

interface Match {
  readonly name: string;
  readonly date: string | null;
  /** Whether the label itself shows that somebody speaks. */
  readonly isReply: boolean;
  readonly length: number;
}

function matchLabel(line: string): Match | null {
  const alone = matchAlone(line);
  if (alone !== null) return alone;
  const match = labelled.exec(line.slice(0, 200));
  const { name: person, nick, bracket, paren, plain, after } = match?.groups ?? {};
  const name = person ?? nick;
  if (match === null || name === undefined) return null;
  const key = name.toLowerCase();
  const first = key.split(" ")[0] ?? "";
  if (replies.has(key) && after !== undefined)
    return { name: after, date: null, isReply: true, length: match[0].length };
  const isKnown = users.has(key) || assistants.has(key);
  if (!isKnown && (notPeople.has(key) || notPeople.has(first) || !isNameLike(name))) return null;
  const date = bracket ?? paren ?? plain ?? after ?? null;
  return {
    name,
    date: date !== null && /\d/.test(date) ? date : null,
    isReply: false,
    length: match[0].length,
  };
}

/** A label on a line of its own: "### User", "Assistant:", "Ann Berg  10:32 AM". */
function matchAlone(line: string): Match | null {
  const { name, time } = headline.exec(line.slice(0, headlineMax + 1))?.groups ?? {};
  if (name === undefined || line.length > headlineMax) return null;
  const key = name.toLowerCase();
  const isRole = users.has(key) || assistants.has(key);
  if (!isRole && (time === undefined || notPeople.has(key) || !isNameLike(name))) return null;
  if (key === "me" || key === "you" || key === "model" || key === "system" || key === "tool") return null;
  return { name, date: null, isReply: true, length: line.length };
}

/** Every word begins with a capital letter, or the name is one word that may be a nickname. */
function isNameLike(name: string): boolean {
  const parts = name.split(" ");
  return parts.length === 1
    ? /^[\p{L}]/u.test(name)
    : parts.every((part) => /^[\p{Lu}\p{Lo}\p{N}]/u.test(part));
}

function toSpeaker(name: string, all: readonly string[]): Speaker {
  const key = name.toLowerCase();
  if (assistants.has(key)) return { name: "The assistant", role: "assistant", addressee: "the user" };
  const others = all.filter((other) => other !== name);
  const other = others.length === 1 ? (others[0] ?? null) : null;
  // A speaker with the name "user" speaks to an assistant, even if the text contains no answer.
  const silent = users.has(key) && others.length === 0 ? "the assistant" : null;
  const addressee = other === null ? silent : assistants.has(other.toLowerCase()) ? "the assistant" : other;
  return { name: users.has(key) ? null : name, role: "person", addressee };
}
