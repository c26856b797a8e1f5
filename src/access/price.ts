// Owns the price of calls, in credits and US dollars.

/** The price list of the installation. */
export interface Prices {
  /** Credits of one extraction. */
  readonly extractionCredits: number;
  /** Whether a dry run with a language model costs as much as an extraction. */
  readonly chargeDryRuns: boolean;
  /** Price of one credit in US dollars; 0: credits have no price. */
  readonly creditUsd: number;
}

export interface Cost {
  readonly credits: number;
  readonly usd: number;
}

export const free: Cost = { credits: 0, usd: 0 };

export function extractionCost({ extractionCredits, creditUsd }: Prices): Cost {
  return { credits: extractionCredits, usd: extractionCredits * creditUsd };
}
