// Owns what a search index consists of that cannot be concluded from its blocks: what its cache files contain.

import type { Kind } from "../../../../memory/kind.ts";
import type { RowBlock } from "../../../../memory/ranking/scan/row-block.ts";

export interface IndexContent {
  /** All changes through this revision are in the blocks. */
  readonly revision: number;
  readonly epochs: Readonly<Partial<Record<Kind, number>>>;
  readonly tagSets: Iterable<readonly [number: number, text: string]>;
  readonly blocks: readonly RowBlock[];
  /** How often each block was changed. */
  readonly changes: readonly number[];
  /** How often memories that did not change got other slots. */
  readonly moves: number;
}
