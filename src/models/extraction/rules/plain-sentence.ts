// Owns a sentence as the word lists read it: without markup, and without a comment at its end. Must never become the text of a memory.

/** A comment after a statement: ", remember?", ", did you know?", ", I promise". */
const tag =
  /(?<=\p{L}{2} .{8,400})(?:, | (?=so fingers))(?:(?:remember|right|okay|ok|huh|eh|yeah|you know|what about you|and you|how about you|did (?:you|i|we|nobody|anyone)[^,?]{0,40}|(?:is|are|was|were|do|does|can|could|would|will|have|has|had)(?:n['’]t)? (?:i|you|he|she|it|they|we|that|nobody)[^,?]{0,25})\?+|(?:i know|i promise|i swear|trust me|believe me|believe it or not|more['’]s the pity|of course|thank (?:god|goodness)|oh well|(?:so )?fingers crossed(?: everyone)?|lol|haha)[.!]*)$/iu;

/** The statement without a trailing comment: "My landlord allows no pets, remember?" */
export function withoutTrailingComment(sentence: string): string {
  return sentence.replace(tag, ".");
}

/** The text without Markdown, on one line. */
export function withoutMarkup(sentence: string): string {
  return sentence
    .replace(/\s+/g, " ")
    .replace(/\s\[[^\]]{1,400}\]$/, "")
    .replace(/!?\[([^\]]{1,200})\]\([^)]{1,300}\)/g, "$1")
    .replace(/\*\*|__|(?<![\p{L}\p{N}])[*_]|[*_](?![\p{L}\p{N}])/gu, "")
    .trim();
}
