// Owns the settings of searches and of what embeds their texts: threads, memory, reranking.

import { rerankChoices } from "../../memory/search/reranker.ts";
import { choice, whole, wholeOrNone } from "./setting.ts";

export const searchSettings = {
  embedders: whole(
    {
      name: "embedders",
      description:
        "maximum number of threads that embed texts, not more than processors; all but the first run only while many memories are embedded and processors are idle",
    },
    2,
    1,
    64,
  ),
  embeddingThreads: whole(
    { name: "embedding-threads", description: "number of threads for one embedding" },
    1,
    1,
    64,
  ),
  rerank: choice(
    {
      name: "rerank",
      description:
        "whether the best memories of hybrid searches and injections are reranked, for calls that do not choose: auto, if it can be done in time; on, however long it takes; off",
    },
    "auto",
    rerankChoices,
  ),
  rerankDeadlineMs: whole(
    {
      name: "rerank-deadline-ms",
      description: "how long a search with rerank auto waits for it, in milliseconds",
    },
    60,
    1,
    10_000,
  ),
  searchCacheMb: whole(
    { name: "search-cache-mb", description: "memory for the vectors of recently searched projects, in MiB" },
    512,
    16,
    65_536,
  ),
  searchThreads: wholeOrNone(
    {
      name: "search-threads",
      description:
        "number of threads that scan large projects; without it, the number of processors, at most 4",
    },
    1,
    64,
  ),
};
