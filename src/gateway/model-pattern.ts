// Owns the patterns by which settings name models: `*` is any text, all other characters are themselves. Pure.

/** Whether a model is named by a name or pattern. Its steps are at most the product of both lengths, whatever the pattern is. */
export function matches(pattern: string, model: string): boolean {
  let [at, position] = [0, 0];
  /** After the last `*`, and where the text begins that the rest of the pattern is compared with. */
  let star: number | null = null;
  let restart = 0;
  while (position < model.length) {
    if (pattern[at] === "*") {
      star = at + 1;
      restart = position;
      at = star;
    } else if (at < pattern.length && pattern[at] === model[position]) {
      at += 1;
      position += 1;
    } else if (star !== null) {
      restart += 1;
      [at, position] = [star, restart];
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
