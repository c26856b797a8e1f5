// Owns which command the words of a command line name, before they are parsed. Must never decide whether they are valid.

/** The first word that is no option; undefined: there is none. */
export function commandWord(words: readonly string[]): string | undefined {
  let at = 0;
  // Options before the name of the command: all but --json have a value.
  for (let word = words[at]; word?.startsWith("-") === true; word = words[at]) {
    at += word === "--json" || word.includes("=") ? 1 : 2;
  }
  return words[at];
}
