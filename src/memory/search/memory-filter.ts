// Owns the parameters that select memories by type, origin, tags and metadata, where all memories of a project are read page by page.

import { Type } from "@sinclair/typebox";
import { originFilter } from "../kind.ts";
import { memoryType } from "../memory.ts";
import { WantedTags } from "../tags.ts";
import { metadataFilter } from "./metadata-filter.ts";

export const memoryFilterFields = {
  memory_type: Type.Optional(memoryType),
  origin: originFilter,
  tag: Type.Optional(
    WantedTags("Only memories that have this tag. If it is given several times, memories have all of them."),
  ),
  metadata: metadataFilter,
};
