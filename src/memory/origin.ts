// Owns where the words of a memory come from: who said them, when, and in which conversation. Its schema and its form in the API.

import { isDeepStrictEqual } from "node:util";
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { conversationIdMaxCharacters, originsMax } from "../platform/limits.ts";
import { conversationName } from "../platform/schema/conversation-name.ts";
import { Choice, Fields, Label, Timestamp } from "../platform/schema/schema.ts";
import { toLabel } from "../platform/text/label.ts";
import { fromTimestamp, toTimestamp } from "../platform/time/timestamp.ts";
import { leadMaxCharacters } from "./limits.ts";

const speakerRoles = ["user", "assistant"] as const;

/** A place at which the words of a memory were said. */
export interface Origin {
  /** Id of the conversation, as the client names it; null: it has none. */
  readonly conversation: string | null;
  /** The same of the message. */
  readonly message: string | null;
  /** Null: nobody says which of the two it is. */
  readonly role: (typeof speakerRoles)[number] | null;
  /** Of the speaker; null: it is not known. */
  readonly name: string | null;
  /** Milliseconds since 1970; null: it is not known. */
  readonly saidAt: number | null;
  /** Absent: the message has no name, or it is not known. */
  readonly span?: Span;
}

/** Of the words in their message, in characters; the end is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const unknownOrigin: Origin = {
  conversation: null,
  message: null,
  role: null,
  name: null,
  saidAt: null,
};

const spanOf = (title: string) =>
  Fields(
    {
      start: Type.Integer({ minimum: 0, description: "Number of characters before the words." }),
      end: Type.Integer({ minimum: 0, description: "The same, with the words." }),
    },
    {
      title,
      description:
        "Where the words are in the message, as the audit record has it: without secrets and white space around it.",
    },
  );

export const origin = Fields(
  {
    conversation: Type.Optional(conversationName),
    message: Type.Optional(Type.String({ description: "Id of the message, as the client names it." })),
    role: Type.Optional(
      Choice(speakerRoles, { title: "SpeakerRole", description: "Who said it: the user or the assistant." }),
    ),
    name: Type.Optional(Type.String({ description: "Name of the speaker, as the text has it." })),
    said_at: Type.Optional(Timestamp({ description: "When it was said." })),
    span: Type.Optional(spanOf("Span")),
  },
  {
    title: "Origin",
    description:
      "Where the words of a memory were said, by whom, and when. A field that is not known is absent.",
  },
);

export const origins = Type.Array(origin, {
  description: "Where the words of the memory were said. The field is absent if that is not known.",
});

export const lead = Label({
  maxLength: leadMaxCharacters,
  description:
    "Words that are searched in front of the content and are no part of it, such as the headings above a paragraph. Absent: the name of the first speaker, if there is one.",
  examples: ["Deployment / Staging"],
});

const shortText = (description: string) => Label({ maxLength: conversationIdMaxCharacters, description });

const newOrigin = Fields(
  {
    ...origin.properties,
    message: Type.Optional(shortText("Id of the message, as the client names it.")),
    name: Type.Optional(shortText("Name of the speaker.")),
    span: Type.Optional(spanOf("NewSpan")),
  },
  {
    title: "NewOrigin",
    description: "Where the words of a new memory were said, by whom, and when. Leave out what is not known.",
  },
);

/** What the caller that creates a memory says about where its words come from. */
export const provenance = {
  origins: Type.Optional(
    Type.Array(newOrigin, {
      maxItems: originsMax,
      description: "Where the words of the memory were said, such as the dates of an imported memory.",
    }),
  ),
  lead: Type.Optional(lead),
};
type Provenance = Static<TObject<typeof provenance>>;

/** The same in a memory. What says nothing is no origin. */
export function readProvenance(given: Provenance): {
  readonly origins: readonly Origin[];
  readonly lead: string | null;
} {
  const said = fromOrigins(given.origins ?? []).map((each) => ({
    ...each,
    conversation: each.conversation === null ? null : toLabel(each.conversation),
    message: each.message === null ? null : toLabel(each.message),
    name: each.name === null ? null : toLabel(each.name),
  }));
  const known = said.filter((each) => !isDeepStrictEqual(each, unknownOrigin));
  const origins = known.filter((each, at) => !known.slice(0, at).some((one) => isDeepStrictEqual(one, each)));
  const lead = given.lead === undefined ? (origins[0]?.name ?? null) : toLabel(given.lead);
  return { origins, lead: leadOf(lead) };
}

/** As Memory.lead, of the name of a speaker or of a heading: it is embedded with what is said there, so that a search for it finds that. */
export function leadOf(name: string | null): string | null {
  return name === null ? null : `${name}${leadEnd}`;
}

/** The field `lead` of a memory; null if it is the name of its first speaker, or the lines before a passage. */
export function toLead(lead: string | null, origins: readonly Origin[]): string | null {
  if (lead === null || lead.includes("\n") || lead === leadOf(origins[0]?.name ?? null)) return null;
  return lead.endsWith(leadEnd) ? lead.slice(0, -leadEnd.length) : lead;
}

const leadEnd = ": ";

/**
 * When the words of a memory were said, or else when it was last changed. What an import stores today may have been said before what is known.
 */
export function saidAt({
  origins,
  updatedAt,
}: {
  readonly origins: readonly Origin[];
  readonly updatedAt: number;
}): number {
  return origins[0]?.saidAt ?? updatedAt;
}

/** The newest ones, if there are too many. The same place counts once. */
export function joinOrigins(known: readonly Origin[], added: Origin | null): readonly Origin[] {
  if (added === null) return known;
  const others = known.filter((each) => !isDeepStrictEqual(each, added));
  return [...others, added].slice(-originsMax);
}

export function toOrigins(all: readonly Origin[]): Static<typeof origins> {
  return all.map(({ conversation, message, role, name, saidAt, span }) => ({
    ...(conversation === null ? {} : { conversation }),
    ...(message === null ? {} : { message }),
    ...(role === null ? {} : { role }),
    ...(name === null ? {} : { name }),
    ...(saidAt === null ? {} : { said_at: toTimestamp(saidAt) }),
    ...(span === undefined ? {} : { span }),
  }));
}

export function fromOrigins(all: readonly Static<typeof origin>[]): Origin[] {
  return all.map(({ conversation = null, message = null, role = null, name = null, said_at, span }) => ({
    conversation,
    message,
    role,
    name,
    saidAt: said_at === undefined ? null : fromTimestamp(said_at),
    ...(span === undefined ? {} : { span }),
  }));
}
