// Owns the items of rag_results and memory_results, in the records of this service and in those that gateways append. Their members
// are those of the API's contract, all of them present and none null, so that typed clients can read every record.

import { type Static, Type } from "@sinclair/typebox";

/** A gateway may know more than these members (a page, the score of a reranker), and evidence must not be lost: others are kept. */
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
    similarity: Type.Number({ description: "Similarity of query and passage, as the gateway measures it." }),
    source: ragSource,
  },
  {
    ...open,
    title: "RagResult",
    description: "Summary of a document that was found. Other members are kept.",
  },
);
export type RagResult = Static<typeof ragResult>;

export const memoryResult = Type.Object(
  {
    id: Type.String({ description: "Memory identifier." }),
    content: Type.String({
      description:
        "Content of the memory; empty for a deletion, whose record does not repeat what was deleted.",
    }),
    memory_type: Type.String({ description: "rule, fact or context." }),
    importance: Type.Number({ minimum: 0, maximum: 1, description: "Importance of the memory." }),
    similarity: Type.Number({ description: "Similarity of query and memory; 1 where the source is direct." }),
    final_score: Type.Number({
      description:
        "What results are ordered by; where the source is direct similarity * 0.7 + importance * 0.3.",
    }),
    source: Type.String({
      description:
        "semantic or keyword: found by a search. direct: not searched for, but created, listed, read, updated, deleted, extracted, or injected as a rule.",
    }),
  },
  {
    ...open,
    title: "MemoryResult",
    description:
      "A memory that was found, created, listed, read, updated or deleted. Other members are kept.",
  },
);
export type MemoryResult = Static<typeof memoryResult>;
