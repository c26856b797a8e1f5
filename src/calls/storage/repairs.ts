// Owns the interface of repairs: what a database can have wrong that does not concern its ledger, and can be made again from the
// memories. Knows no SQL.

/** All zero: nothing to repair. */
export interface DatabaseFaults {
  /** Vectors of memories that do not exist. */
  readonly orphanVectors: number;
  /** Memories without a vector of the model in use. */
  readonly missingVectors: number;
  /** Memories, existing or removed, whose words in the index are not those of their content. */
  readonly wrongWords: number;
}

export interface RepairOptions {
  /** Float32Array [dimensions of the model in use], L2-normalised. */
  embed(content: string): Promise<Float32Array>;
}

export function isFaultless({ orphanVectors, missingVectors, wrongWords }: DatabaseFaults): boolean {
  return orphanVectors + missingVectors + wrongWords === 0;
}
