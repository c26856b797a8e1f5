// Owns the items of rag_results and memory_results, in the records of this service and in those that gateways append. All members of
// the API contract are present and not null, so that typed clients can read every record.

import { type Static, Type } from "@sinclair/typebox";

/** Other members are stored too: a gateway may know more (a page, the score of a reranker), and the record is its evidence. */
const open = { additionalProperties: true };

const ragSource = Type.Object(
  {
    document_id: Type.String({ description: "Identifier of the document." }),
    name: Type.String({ description: "Name of the document." }),
    mime_type: Type.String({ description: "Media type of the document." }),
    file_size: Type.Number({ minimum: 0, description: "Size of the document in bytes." }),
  },
  { ...open, title: "RagSource", description: "The document that was found." },
);

export const ragResult = Type.Object(
  {
    content: Type.String({ description: "The passage that was found." }),
    similarity: Type.Number({
      description: "Similarity of the query and the passage, as measured by the gateway.",
    }),
    source: ragSource,
  },
  {
    ...open,
    title: "RagResult",
    description: "A document that was found. Additional members are stored.",
  },
);
export type RagResult = Static<typeof ragResult>;

export const memoryResult = Type.Object(
  {
    id: Type.String({ description: "Memory identifier." }),
    content: Type.String({
      description:
        "Content of the memory; empty for a deletion, so that the record does not store the deleted text.",
    }),
    memory_type: Type.String({ description: "rule, fact or context." }),
    importance: Type.Number({ minimum: 0, maximum: 1, description: "Importance of the memory." }),
    similarity: Type.Number({
      description: "Similarity of the query and the memory; 1 if source is direct.",
    }),
    final_score: Type.Number({
      description:
        "Score that results are ordered by; similarity * 0.7 + importance * 0.3 if source is direct.",
    }),
    source: Type.String({
      description:
        "semantic or keyword: found by a search. importance: injected without a query, by importance and recency; the similarity is 0. direct: created, listed, read, updated, deleted, extracted, or injected as a rule.",
    }),
  },
  {
    ...open,
    title: "MemoryResult",
    description:
      "A memory that was found, created, listed, read, updated or deleted. Additional members are stored.",
  },
);
export type MemoryResult = Static<typeof memoryResult>;
