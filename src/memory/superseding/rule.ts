// Owns how a rule reads an attribute from a statement. Pure.

export interface Attribute {
  /** Subject and name of the attribute: equal in all statements about it. At most 200 characters. */
  readonly key: string;
  /** In lower case; null: the statement says only that the former value is no longer true. */
  readonly value: string | null;
  /** The value that the statement says was true before; null: it says none. */
  readonly former: string | null;
}

export interface Rule {
  /** Of the whole statement. Groups: `s` subject, `v` value, `f` former value, `n` a part of the name. */
  readonly pattern: RegExp;
  /** The name of the attribute; a function gets the groups. Null: the statement has no such attribute after all. */
  readonly name: string | ((groups: Groups) => string | null);
  /** The value, if it is not what the group has. Null: none. */
  readonly value?: (groups: Groups) => string | null;
}

export type Groups = Readonly<Record<string, string | undefined>>;

/** A person: the user, a name, or a relation of one of them, such as "Ana's sister". */
export const person =
  "(?<s>(?:[Tt]he user|(?!The |Our |My |This |That |It |All )\\p{Lu}[\\p{L}'.-]*(?: \\p{Lu}[\\p{L}'.-]*){0,2})(?:'s [\\p{Ll}-]+(?: [\\p{Ll}-]+)?)?)";
/** Anything that can be a subject, of up to seven words. */
export const thing = "(?<s>[\\p{L}\\p{N}][\\p{L}\\p{N}'./_-]*(?: [\\p{L}\\p{N}][\\p{L}\\p{N}'./_-]*){0,6}?)";

export function rule(pattern: string, name: Rule["name"], value?: Rule["value"]): Rule {
  return { pattern: new RegExp(`^${pattern}$`, "u"), name, ...(value === undefined ? {} : { value }) };
}

export function readRule({ pattern, name, value }: Rule, statement: string): Attribute | null {
  const groups = pattern.exec(statement)?.groups;
  if (groups === undefined) return null;
  const named = typeof name === "string" ? name : name(groups);
  if (named === null) return null;
  const said = value === undefined ? toValue(groups.v) : value(groups);
  const former = toValue(groups.f);
  if (said === null && former === null) return null;
  return { key: `${toSubject(groups.s ?? "")}|${named.toLowerCase()}`, value: said, former };
}

function toSubject(text: string): string {
  return text
    .toLowerCase()
    .replace(/^(?:the|our|its|their|his|her) /, "")
    .trim();
}

/** In lower case, without articles and without what follows the value. */
export function toValue(text: string | undefined): string | null {
  if (text === undefined) return null;
  const value = text
    .toLowerCase()
    .replace(/^(?:an?|the|about|around) /, "")
    .split(ends)[0]
    ?.replace(/[,.]+$/, "")
    .trim();
  return value === undefined || value === "" ? null : value;
}

/** Where a value ends: at a circumstance. */
const ends =
  /,| \(| (?:with|since|because|due to|but|after|when|where|while|which|that|so|near|close to|last|next|this|starting|beginning|effective|to be|in order|thanks to|again|anymore|any more|following|following the|rather|instead|from|and (?:is|was|has|has been|works|lives|loves|likes|started|enjoys)|in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|\d{4}))(?= |$)/;
