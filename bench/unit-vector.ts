// Makes the vectors of benches and proofs. Must never be used to judge quality: random vectors mean nothing.

/** Sums of uniform numbers are close enough to normal ones for a direction that prefers no axis. */
export function unitVector(random: () => number, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  let squares = 0;
  for (let at = 0; at < dimensions; at++) {
    const value = random() + random() + random() - 1.5;
    vector[at] = value;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}
