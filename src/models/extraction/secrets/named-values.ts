// Owns secrets that only the words before them show: "my password is ...", "API_KEY=...", "Authorization: Bearer ...".

import type { FindSecrets, FoundSecret } from "./found-secret.ts";
import {
  assignedKey,
  assignedPassword,
  assignedShort,
  authorization,
  labelledPassword,
  namedAfter,
  option,
  pair,
  seedPhrase,
  spokenKey,
  spokenPassword,
  spokenPin,
  sshpass,
  suppliedPassword,
  taggedPassword,
  usedPassword,
  userOption,
} from "./named-value-patterns.ts";
import { isAssignedPassword, isKeyLike, isPasswordLike, isPlaceholder } from "./secret-value.ts";
import { copulas, predicateEnding, predicates } from "./secret-words.ts";

/** A match of a pattern. */
interface Candidate {
  /** Of a value without quotation marks, the punctuation of the sentence is removed. */
  readonly value: string;
  readonly isQuoted: boolean;
  /** What the text calls the value, and the verb, in lower case. */
  readonly name: string;
  readonly verb: string;
  /** The text before the name, and after the value. */
  readonly before: string;
  readonly after: string;
  /** Whether "=" is between the name and the value; after a colon prose may follow, too. */
  readonly isCode: boolean;
}

type Accept = (candidate: Candidate) => boolean;

export const findNamedValues: FindSecrets = (text) => [
  ...search(text, authorization, "authorization", isAuthorization),
  ...search(text, assignedKey, "key", isKey),
  ...search(text, spokenKey, "key", isKey),
  ...search(text, assignedPassword, "password", isAssigned),
  ...search(text, assignedShort, "password", isAssigned),
  ...search(text, labelledPassword, "password", isSupplied),
  ...search(text, taggedPassword, "password", ({ value }) => isAssignedPassword(value)),
  ...search(text, namedAfter, "password", ({ value }) => isPasswordLike(value)),
  ...search(text, option, "password", isAssigned),
  ...search(text, sshpass, "password", isNoPlaceholder),
  ...search(text, userOption, "password", isNoPlaceholder),
  ...search(text, spokenPassword, "password", isSpoken),
  ...search(text, suppliedPassword, "password", isSupplied),
  ...search(text, usedPassword, "password", ({ value }) => isPasswordLike(value)),
  ...search(text, pair, "password", ({ value }) => isPasswordLike(value)),
  // "pin" alone is also a part of a board or a map.
  ...search(text, spokenPin, "pin", ({ name, before }) => name !== "pin" || /PIN$/.test(before)),
  ...search(text, seedPhrase, "seed-phrase", () => true),
];

function* search(text: string, pattern: RegExp, kind: string, accept: Accept): Generator<FoundSecret> {
  for (const { index, 0: match, groups = {}, indices } of text.matchAll(pattern)) {
    const { name, verb, ...values } = groups;
    const [group, found] = Object.entries(values).find(([, each]) => each !== undefined) ?? [];
    const start = group === undefined ? undefined : indices?.groups?.[group]?.[0];
    if (found === undefined || start === undefined) continue;
    const isQuoted = group !== "bare";
    const value = isQuoted ? found : withoutPunctuation(found);
    const nameEnd = indices?.groups?.name?.[1] ?? index;
    const candidate: Candidate = {
      value,
      isQuoted,
      name: (name ?? "").toLowerCase(),
      verb: (verb ?? "").toLowerCase(),
      before: text.slice(Math.max(0, nameEnd - (name?.length ?? 0) - 20), nameEnd),
      after: text.slice(start + value.length, start + value.length + 20),
      isCode: match.slice(0, start - index).includes("="),
    };
    if (value === "" || !accept(candidate)) continue;
    // A password may end with "!" or "?", so these are removed, too.
    const signs = isQuoted ? 0 : (/^[!?]+/.exec(found.slice(value.length))?.[0].length ?? 0);
    yield { kind, start, end: start + value.length + signs };
  }
}

function withoutPunctuation(found: string): string {
  const end = found.replace(/[.,;:!?…*_]+$/u, "");
  return /^[^([{]*[)\]}]+$/.test(end) ? withoutPunctuation(end.replace(/[)\]}]+$/, "")) : end;
}

const isNoPlaceholder: Accept = ({ value }) => !isPlaceholder(value);

const isAuthorization: Accept = ({ value }) =>
  isKeyLike(value) || (value.length >= 16 && /[\d=]/.test(value));

/** Not a secret: "public key: ...", "next page token: ...". */
const otherKey =
  /(?:public|publishable|öffentlich\p{L}*|publique|pública|pubblica|primary|foreign|cache|sort|partition|next|page|pagination|continuation|device|stop|eos|bos|pad|special)[-_ ]?\p{L}*[-_ ]?(?:key|token)s?$/iu;

const isKey: Accept = (candidate) =>
  isName(candidate) && isKeyLike(candidate.value) && !otherKey.test(candidate.before);

/** "password=x", "Passwort: x". */
const isAssigned: Accept = (candidate) => {
  const { value, isQuoted, isCode, after } = candidate;
  if (!isName(candidate)) return false;
  if (isQuoted) return value.length >= 4 && !isPlaceholder(value) && (isCode || !isPredicate(value));
  if (isCode) return isAssignedPassword(value);
  return isPasswordLike(value) || (isEnd(after) && isAssignedPassword(value) && !isPredicate(value));
};

/** "the password is x": letters alone are one only at the end of a sentence, and if they do not describe the password. */
const isSpoken: Accept = ({ value, isQuoted, name, verb, after }) => {
  if (isQuoted) return value.length >= 4 && !isPlaceholder(value) && !isPredicate(value);
  if (isPasswordLike(value)) return true;
  if (!isEnd(after) || !copulas.has(verb.trim())) return false;
  if (/^\d{4,}$/.test(value)) return true;
  // In Spanish, "clave" is also what matters most.
  return name !== "clave" && /^\p{L}{4,}$/u.test(value) && isAssignedPassword(value) && !isPredicate(value);
};

/** Whether the name is a word, or the end of a name in code: "dbPassword", "PGPASSWORD"; not the end of another word, as in "enclave". */
function isName({ name, before, isCode }: Candidate): boolean {
  const [preceding = "", first = ""] = before.slice(-name.length - 1);
  if (name === "" || before.length === name.length || !/\p{L}/u.test(preceding)) return true;
  return /\p{Lu}/u.test(first) && (/\p{Ll}/u.test(preceding) || isCode);
}

/** "with password x" */
const isSupplied: Accept = ({ value, isQuoted }) =>
  isQuoted ? value.length >= 4 && !isPlaceholder(value) : isPasswordLike(value);

function isEnd(after: string): boolean {
  return /^[.!?,;)\]]*(?:\s*$|\s*\n)|^[.!?,;]\s|^[ \t]+(?:by the way|btw|übrigens)\b/.test(after);
}

function isPredicate(value: string): boolean {
  if (/[\s\d]/.test(value)) return false;
  return predicates.has(value.toLowerCase()) || predicateEnding.test(value);
}
