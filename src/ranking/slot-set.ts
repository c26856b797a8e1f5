// Owns sets of the slots of a search index. A slot is the place of a memory: its block times the rows of a full block, plus its row.

/**
 * In shared memory, never changed while a task reads it. `bits`: bit (slot & 31) of word (slot >>> 5), as many words as the slots need;
 * slots behind them are not members. `list`: ascending, each slot once.
 */
export type SlotSet =
  | { readonly kind: "bits"; readonly words: Uint32Array }
  | { readonly kind: "list"; readonly slots: Uint32Array };
