// Owns the interface that a change of the embedding model needs from a storage engine.

/** The model of the vectors in a database. */
export interface ModelBinding {
  readonly id: string;
  /** Over all files of the model. */
  readonly sha256: string;
  readonly dimensions: number;
}

/** A change of the model that has begun and is neither finished nor cancelled. */
export interface ModelChange {
  readonly to: ModelBinding;
  readonly startedAt: number;
  /** How many memories were embedded with the new model. */
  readonly done: number;
  /** Why the change does not continue, for people; null: it continues while a server or the command runs. */
  readonly failure: string | null;
}

/** A content whose vector of the new model is missing. */
export interface ContentToEmbed {
  /** Id of the memory. */
  readonly memory: string;
  /** Every change of the content gives it another one. */
  readonly version: number;
  readonly content: string;
}

export interface EmbeddedContent extends Omit<ContentToEmbed, "content"> {
  /** Float32Array [dimensions of the new model], L2-normalised. */
  readonly vector: Float32Array;
}

export interface ModelTransaction {
  /** The model of the vectors that searches compare; null before the first start of a server. */
  bound(): Promise<ModelBinding | null>;
  change(): Promise<ModelChange | null>;
  /** Begins a change; there must be none. The vectors in use stay as they are. */
  begin(to: ModelBinding, now: number): Promise<void>;
  /** The change no longer has a failure. */
  retry(): Promise<void>;
  /** Ends the change. Its vectors are not used any more; `remove_unused_vectors` deletes them later. */
  cancel(): Promise<void>;
  /**
   * Replaces all vectors by those of the new model, and binds it. Takes the same time for any number of memories;
   * `remove_unused_vectors` deletes the previous vectors later.
   * @returns the number of memories; null when a memory has no vector of the new model yet: nothing has happened then
   */
  finish(): Promise<number | null>;
}

/** The vectors of a change. Its methods wait behind calls, and are no calls: they have no record. */
export interface ModelVectors {
  /** As of ModelTransaction. */
  bound(): Promise<ModelBinding | null>;
  change(): Promise<ModelChange | null>;
  /** Number of memories, those of a bulk delete excluded. */
  count(): Promise<number>;
  /** The oldest contents without a vector of the new model, those that were changed last. */
  findMissing(limit: number): Promise<readonly ContentToEmbed[]>;
  /**
   * Stores the vectors of what `findMissing` returned last, all of them. A content that has changed since is missing again. Nothing is
   * stored if this is no longer the change in progress.
   */
  add(change: ModelChange, vectors: readonly EmbeddedContent[]): Promise<void>;
  /** Stores why the change does not continue. */
  fail(change: ModelChange, reason: string): Promise<void>;
}
