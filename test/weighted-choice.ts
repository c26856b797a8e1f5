// Chooses what a random load does next, the frequent steps more often.

/** It begins with its weight, in relation to those of the others. */
type Weighted = readonly [weight: number, ...unknown[]];

/** @param random gives numbers in [0, 1) @throws RangeError when there is nothing to choose from */
export function createWeightedChoice<Choice extends Weighted>(
  choices: readonly Choice[],
  random: () => number,
): () => Choice {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  return () => {
    let left = random() * total;
    const chosen = choices.find(([weight]) => {
      left -= weight;
      return left < 0;
    });
    // The sum may round to less than the parts.
    const choice = chosen ?? choices.at(-1);
    if (choice === undefined) throw new RangeError("There is nothing to choose from.");
    return choice;
  };
}
