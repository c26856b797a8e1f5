// Owns the limits of reports.

/** Records that are counted in one step. */
export const countedAtOnce = 5_000;
/** Records whose contents are read in one step. */
export const recordsAtOnce = 200;
/** What a report lists; of further ones it says how many there are. Removals: of each chain. */
export const listedMax = { chains: 1_000, records: 1_000, removals: 100 } as const;
/** Characters of a name or an id that a record has. */
export const nameMax = 200;
