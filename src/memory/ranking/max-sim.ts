// Owns MaxSim: how well the tokens of a query are found among the tokens of a memory (late interaction). Must never know a model.

/**
 * The mean, over the tokens of the query, of the greatest dot product with a token of the memory, divided by `levels` squared: -1..1, and
 * 0 if one of the two has no token. Sums of products of int8 are exact, so the result does not depend on the machine.
 * @param query Int8Array [tokens x dimensions]; components from -levels to levels
 * @param memory as `query`
 */
export function maxSim(query: Int8Array, memory: Int8Array, dimensions: number, levels: number): number {
  const tokens = query.length / dimensions;
  if (tokens === 0 || memory.length === 0) return 0;
  let sum = 0;
  for (let row = 0; row < query.length; row += dimensions) {
    let best = Number.NEGATIVE_INFINITY;
    for (let column = 0; column < memory.length; column += dimensions) {
      let dot = 0;
      // In 32 bits, which is a third faster.
      for (let at = 0; at < dimensions; at++)
        dot = (dot + Math.imul(query[row + at] ?? 0, memory[column + at] ?? 0)) | 0;
      if (dot > best) best = dot;
    }
    sum += best;
  }
  // Components are rounded, so that of the same text it can be a little more.
  return Math.max(-1, Math.min(1, sum / tokens / levels ** 2));
}
