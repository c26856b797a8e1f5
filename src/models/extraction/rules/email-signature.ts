// Owns the end of a letter or e-mail: the closing formula and the name below it. Must not be used for chats.

import type { Speaker } from "./speakers.ts";

const closing =
  /^(?:(?:many |all the |with )?(?:best|kind|warm)?(?:est)? ?(?:regards|wishes)|all the best|best|cheers|thanks(?: again| in advance)?|thank you|sincerely|yours(?: sincerely| truly| faithfully)?|love|talk soon|see you(?: soon)?|take care|viele grüße|liebe grüße|beste grüße|mit freundlichen grüßen|herzliche grüße|schöne grüße|gruß|lg|mfg|vg|cordialement|bien à vous|bien cordialement|à bientôt|amitiés|bisous|saludos(?: cordiales)?|un (?:abrazo|saludo|cordial saludo)|atentamente|um abraço|abraços?|atenciosamente|cumprimentos|cordiali saluti|distinti saluti|un (?:abbraccio|caro saluto)|saluti|a presto)[,.!]?$/i;
const signature = /^[-–]?\s?\p{Lu}[\p{L}.'-]{0,24}(?: \p{Lu}[\p{L}.'-]{0,24}){0,2}$/u;

/** Whether the line is a closing formula; the lines below it are a name, an address or a disclaimer. */
export function isClosingFormula(line: string): boolean {
  return line.length <= 40 && closing.test(line);
}

/** The speaker of a text in which no other speaker is named: the name below the closing formula. */
export function findSender(lines: readonly string[]): Speaker {
  const end = lines.findIndex(isClosingFormula);
  const below = end < 0 ? undefined : lines.slice(end + 1, end + 4).find((line) => line !== "");
  if (below === undefined || !signature.test(below)) return { name: null, role: "unknown", addressee: null };
  return { name: below.replace(/^[-–]\s?/, ""), role: "person", addressee: null };
}
