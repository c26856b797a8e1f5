// Owns shortening English sentences of conversations: interjections, forms of address, openings and comments that say nothing. Must never
// remove a word that names a person, a thing or a time of a statement.

import { feelings } from "./lexicon/en-exclusions.ts";

const interjection =
  "wow|whoa|oh|ooh|aw+|ah|aha|yay|yeah|yep|yup|yes|no|nope|nah|haha|hehe|lol|hey|hi|hello|hiya|okay|ok|well|sure|right|totally|absolutely|definitely|exactly|indeed|agreed|of course|certainly|thanks(?: (?:a lot|so much|again|a ton|a bunch))?|thank you(?: (?:so much|very much|again))?|cheers|sorry|sweet|nice|cool|great|awesome|amazing|wonderful|fantastic|perfect|congrats|congratulations|good (?:morning|evening|afternoon|night)|hmm|um|uh|man|dude|gosh|geez|omg|oh my(?: (?:god|gosh))?|no (?:way|worries|problem)|for sure|by the way|btw|anyway|anyways|actually|honestly|basically|seriously|luckily|fortunately|unfortunately|plus|also|and|so|but|oh well";
const openings =
  "(?:a lot(?:['’]s| has) happened|much has happened|guess what|you know what|(?:big|good|great|exciting|bad|sad) news|long time no (?:see|talk)|speaking of (?:which|that)|funny story|you won['’]t believe (?:this|it)|as you know|to be honest|in fact|for me|i (?:have to|must|gotta) (?:say|admit|tell you)|(?:i )?(?:just )?want(?:ed)? to (?:let you know|tell you)(?: that)?(?! about)|(?:i )?(?:just )?want(?:ed)? to (?:give you (?:a |an |the )?(?:quick )?(?:heads[- ]up|update)|update you|fill you in)(?: on [^,–—-]{1,50})?|since we last (?:chatted|spoke|talked|met)|remember (?:that|when))";
const leading = new RegExp(
  `^[^\\p{L}\\p{N}"“'’(]*(?:(?:${interjection})(?:[,!.…–—-]+\\s*|\\s+(?=[\\p{L}\\p{N}])(?=(?:i|we|my|our)(?!\\p{L})|['’"“]))|${openings}(?:[,:!.–—-]+\\s*|\\s+(?=\\p{L})))`,
  "iu",
);
/** Words that only strengthen others, but not after a negation. */
const intensifiers =
  /(?<!(?:not|n['’]t|never|too) )(?<!\p{L})(?:really|super|totally|truly|definitely|absolutely|actually|literally|basically|honestly|completely|incredibly|extremely) (?=\p{L})/giu;
/** ", which was so much fun", " and it is amazing": a judgement after a statement. */
const verdict = new RegExp(
  `(?<=\\p{L} .{4,400}[^,])(?:,|\\s?[-–—])? (?:which|that|(?:(?:and|but|so) )?(?:it|that))(?: is| was|['’]s| has been| feels| felt) (?:(?:so|pretty|very|quite|such an?|a|an) )*(?:${feelings})[^,;:\\d]{0,30}(?=[.!]*$)`,
  "iu",
);
const ending =
  /(?:,|\s[-–—])? (?:too|as well|though|tho|you know|lol|haha|hehe|for sure|of course|btw|by the way|right now)(?=[.!…]*$)/iu;

/**
 * The sentence without words that say nothing.
 * @param addressee the other speaker, whose name is removed where it is only a form of address
 */
export function shorten(sentence: string, addressee: string | null): string {
  let text = sentence
    .replace(/\p{Extended_Pictographic}\uFE0F?/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  for (let round = 0; round < 6; round += 1) {
    const shorter = withoutAddress(text, addressee).replace(leading, "").trimStart();
    if (shorter === text) break;
    text = shorter;
  }
  text = text.replace(verdict, "").replace(ending, "").replace(intensifiers, "");
  return text.replace(/[!…]+$/u, ".").replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

/** "Mel, ..." and "..., Mel!", also with the short forms of a name. */
function withoutAddress(text: string, addressee: string | null): string {
  const first = addressee?.split(" ")[0] ?? "";
  if (first.length < 3 || !/^[\p{L}'’-]+$/u.test(first)) return text;
  const forms = Array.from({ length: first.length - 2 }, (_, at) => first.slice(0, at + 3)).reverse();
  const name = `(?:${forms.join("|")})(?:y|ie)?`;
  return text
    .replace(new RegExp(`^(?:(?:${interjection})[,!]? )?${name}\\s?[,!.–—-]+\\s*`, "iu"), "")
    .replace(new RegExp(`, ${name}(?=[,.!…–—]|\\s[-–—]|$)`, "gu"), "")
    .replace(/^[,\s]+/, "");
}
