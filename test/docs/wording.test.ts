// Holds the documentation to plain technical English: words and figures of speech that readers with English as a second language
// misunderstand, and that have a standard term.

import { expect, test } from "bun:test";
import { pages, proseOf } from "./pages.ts";

/** What must not be written, and what to write instead. */
const plain: readonly (readonly [RegExp, string])[] = [
  [/\battest(s|ed|ing)?\b/i, "sign, confirm, cover"],
  [/\bvouch(es)? for\b/i, "confirm"],
  [/\bexcuses?\b/i, "account for"],
  [/\b(that|which|it|they) lies?\b/i, "is stored"],
  [/\blies? beside\b/i, "is beside"],
  [/\bstands? in for\b/i, "replaces"],
  [/\btakes? the place of\b/i, "replaces"],
  [/\bgoes with\b/i, "belongs to"],
  [/\b(prunes?|happens?|made) by (itself|themselves)\b/i, "automatically"],
  [/\blook(s|ed)? at\b/i, "show, check, read"],
  [/\bis no setting\b/i, "unknown setting"],
  [/\bgiven up\b(?! \|)/i, "failed"],
  [/\bhand(s|ed)? (in|out)\b/i, "pass, return"],
  [/\bdoors?\b/i, "entry point"],
  [/\bstrangers?\b/i, "calls without a valid key"],
  [/\bcrew\b/i, "worker threads"],
  [/\b(what|everything) is worth\b|\bworth remembering\b/i, "to remember"],
  [/\bsmall talk stays out\b/i, "is ignored"],
  [/\bbroken out of\b/i, "is escaped"],
  [/\bour fault\b/i, "internal error"],
  [/\bmend\b/i, "fix"],
  [/\buntouched\b/i, "tamper-evident"],
  [/\bin the end\b/i, "finally, or nothing"],
  [/\bbelieve(s|d)?\b/i, "accept, trust"],
  [/\bnobody knows?\b/i, "is not known"],
  [/\bas it must\b/i, "this is correct"],
  [/\bmakes? room\b/i, "are deleted above the limit"],
  [/\b(are|is|kept) apart\b/i, "separate"],
  [/\b(breaks?|broke|broken) off\b/i, "ends early"],
  [/\bfor good\b/i, "permanently"],
  [/\bis the map\b/i, "gives an overview"],
];

test.each(pages.filter((page) => page !== "bench/RESULTS.md"))("%s is in plain English", (page) => {
  const text = proseOf(page).replace(/`[^`\n]*`/g, "");
  const found = plain.flatMap(([pattern, instead]) => {
    const match = pattern.exec(text);
    return match === null ? [] : [`"${match[0]}": write ${instead}`];
  });
  expect(found).toEqual([]);
});
