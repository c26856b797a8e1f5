// Owns what a report says of the settings of the process that makes it.

/** A model, with the SHA-256 over its files. */
interface NamedModel {
  readonly id: string;
  readonly sha256: string;
}

export interface ReportedSettings {
  /** Days that records of the installation's chain are kept; null: without a limit. */
  readonly installationRetentionDays: number | null;
  /** Days that payloads are kept; null: as long as their records. */
  readonly payloadRetentionDays: number | null;
  /** Name of the language model that extracts memories; null: none. */
  readonly languageModel: string | null;
  /** The reranker that belongs to an embedding model; null: none is used. */
  rerankerOf(embedding: NamedModel): NamedModel | null;
}
