// Owns reading all memories of a project page by page, in an order that changes do not disturb. Each page is a call with its record.

import { Type } from "@sinclair/typebox";
import { agentMemory, exampleMemory, toAgentMemory } from "../../../memory/memory.ts";
import type { ExportQuery } from "../../../memory/search/export-query.ts";
import { memoryFilterFields } from "../../../memory/search/memory-filter.ts";
import { toMetadataFilter } from "../../../memory/search/metadata-filter.ts";
import { toTagFilter } from "../../../memory/tags.ts";
import { fieldRefusal, type Refusal } from "../../../platform/errors.ts";
import { pageSizeMax } from "../../../platform/limits.ts";
import { nextCursor, pageSizeField } from "../../../platform/schema/page.ts";
import { Fields, Flag } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";

export const exportMemories = projectOperation({
  name: "memory.export",
  summary: "Export memories",
  description:
    "Returns a page of all memories of the project in the order of their creation, oldest first, including expired and inactive ones. Follow next_cursor until it is null. A memory that exists all the time is returned exactly once, as it is when its page is read; a memory that is created meanwhile comes at the end; a deleted one is missing. A cursor is valid until the server restarts. The audit record has the page without the vectors.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  passages: "reads",
  feature: "memory",
  input: Fields({
    ...memoryFilterFields,
    include_vectors: Flag("Whether to return the embeddings, too.", false),
    cursor: Type.Optional(
      Type.String({ description: "next_cursor of the previous page, with the same filters." }),
    ),
    page_size: pageSizeField("Memories per page.", pageSizeMax),
  }),
  output: Fields(
    {
      memories: Type.Array(agentMemory),
      next_cursor: nextCursor,
      vectors: Type.Optional(
        Type.Array(Type.String({ contentEncoding: "base64" }), {
          description:
            "With include_vectors: the embeddings of the memories, in their order. Each is normalised to length 1, as Base64 of its 32-bit floating-point numbers in little-endian order.",
        }),
      ),
      model: Type.Optional(
        Fields(
          {
            id: Type.String({ description: "Name of the model." }),
            sha256: Type.String({ description: "SHA-256 of its files, in hexadecimal." }),
            dimensions: Type.Integer({ minimum: 1, description: "Numbers of a vector." }),
          },
          { title: "EmbeddingModel", description: "With include_vectors: the model of the vectors." },
        ),
      ),
    },
    { title: "MemoryExportPage" },
  ),
  example: {
    input: { page_size: 100 },
    data: { memories: [exampleMemory], next_cursor: null },
  },

  async prepare(
    { memory_type, origin, tag, metadata, include_vectors = false, cursor, page_size = pageSizeMax },
    { store, caller, signal },
  ) {
    const query: ExportQuery = {
      type: memory_type ?? null,
      origin: origin ?? null,
      tags: toTagFilter(tag),
      metadata: toMetadataFilter(metadata),
      withVectors: include_vectors,
      cursor: cursor ?? null,
      limit: page_size,
      withProject: caller.ownsProject,
    };
    const page = await store.memories.exportPage(caller.owner, query, signal);
    if (page === null) throw unknownCursor();
    const data = { memories: page.memories.map(toAgentMemory), next_cursor: page.next };
    if (page.vectors === null) return { precomputed: { data }, prepared: null };
    const { id, sha256, dimensions } = page.vectors.model;
    const recorded = { ...data, model: { id, sha256, dimensions } };
    const vectors = page.vectors.vectors.map(toBase64);
    return { precomputed: { data: { ...recorded, vectors }, recorded }, prepared: null };
  },
});

function toBase64(vector: Float32Array): string {
  const bytes = new Uint8Array(vector.length * Float32Array.BYTES_PER_ELEMENT);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of vector.entries())
    view.setFloat32(at * Float32Array.BYTES_PER_ELEMENT, value, true);
  return bytes.toBase64();
}

function unknownCursor(): Refusal {
  const reason = "is not a cursor of this list, or the server was restarted";
  const advice = "Send next_cursor as it was returned, with the same filters, or begin again without it";
  return fieldRefusal("cursor", reason, advice);
}
