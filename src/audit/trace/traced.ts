// Owns what an erasure looks for, and the records that hold it. How they are found is in trace.ts.

/** The position of a record, for an erasure. */
export interface RecordLocation {
  /** Id; null: the installation. */
  readonly project: string | null;
  readonly seq: number;
  readonly id: string;
  readonly action: string;
}

export interface RecordPlace extends RecordLocation {
  /** Whether its payload still exists, without an erased part. */
  readonly isWhole: boolean;
}

/** What is looked for. It grows with each record that holds some of it. Plain data: it travels between threads. */
export interface Trace {
  /** Memories whose text is looked for, also by their ids. */
  readonly memories: readonly string[];
  /** Records of which every word is looked for. */
  readonly records: readonly string[];
  /** Memories that were made of these records. What other records make of them is another text. */
  readonly made: readonly string[];
  /** Records from which one of the memories was extracted, and those that a call performed for them has left. */
  readonly sources: readonly string[];
  /** Word texts, in the records of these projects (null: the installation). */
  readonly texts: readonly string[];
  readonly projects: readonly RecordLocation["project"][];
  /** Words by which an answer may repeat the text in other words. */
  readonly distinctiveWords: readonly string[];
  /** Only records about one conversation, or that show what was said in it; absent: all. */
  readonly within?: TraceScope;
}

/** The conversation of which every memory is looked for. */
export interface TraceScope {
  /** Of its owner: records of calls for another one are found by ids only. */
  readonly project: string;
  readonly subject: string | null;
  /** Its pseudonym: what was said in another conversation is not looked for. */
  readonly conversation: string;
  /** A place in an answer that names it is found, too. */
  readonly name: string;
  /** Memories with its words that have other origins as well: they are not looked for. */
  readonly shared: readonly string[];
}

export const emptyTrace: Trace = {
  memories: [],
  records: [],
  made: [],
  sources: [],
  texts: [],
  projects: [],
  distinctiveWords: [],
};

/**
 * Why a record holds the text. "origin": the text came from it, or a call copied the words of that record into it. "shown": it names the
 * memory. "repeated": it has the same words, without an id.
 */
export const holdings = ["origin", "shown", "repeated"] as const;
export type Holding = (typeof holdings)[number];

/** What of a record holds the text. */
export interface Held {
  readonly holding: Holding;
  /** Indices of the parts of the payload that hold it, ascending; null: the whole payload. */
  readonly parts: readonly number[] | null;
}

/** What becomes of the payload, made before the transaction, so that other calls do not wait for it. */
export interface PreparedErasure {
  /** The stored text that it is made of. Another one: the erasure must be made again. */
  readonly before: Uint8Array;
  readonly salt: Uint8Array;
  readonly compressed: Uint8Array;
}

export interface TracedRecord extends RecordLocation, Held {
  readonly prepared?: PreparedErasure;
}

/** Records that hold something of a subject. */
export interface RecordsAbout extends Pick<TracedRecords, "records" | "through"> {}

/** Records that hold what a trace looks for. */
export interface TracedRecords {
  /** Grown by what was found. */
  readonly trace: Trace;
  /** In the order of their positions in each chain. */
  readonly records: readonly TracedRecord[];
  /** The newest record whose payload was read, as a number over all chains. */
  readonly through: number;
}
