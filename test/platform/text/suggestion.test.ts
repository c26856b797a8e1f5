// Tests which known name is suggested for an unknown one, and when none is.

import { describe, expect, test } from "bun:test";
import { suggest, unknownReason } from "../../../src/platform/text/suggestion.ts";

const known = [
  "content",
  "memory_type",
  "importance",
  "is_active",
  "expires_at",
  "top_k",
  "min_similarity",
  "query",
];

describe("a misspelt name", () => {
  test.each([
    ["Content", "content"],
    ["memoryType", "memory_type"],
    ["MEMORY-TYPE", "memory_type"],
    ["contnet", "content"],
    ["qeury", "query"],
    ["importence", "importance"],
    ["topk", "top_k"],
    ["expires", "expires_at"],
    ["type", "memory_type"],
    ["similarity", "min_similarity"],
  ])("%s suggests %s", (name, meant) => {
    expect(suggest(name, known)).toBe(meant);
  });
});

describe("another name", () => {
  test.each(["", "x", "limit", "tags", "toString", "__proto__", "c".repeat(100_000)])(
    "%.20s suggests nothing",
    (name) => {
      expect(suggest(name, known)).toBeNull();
    },
  );

  test("is looked for among few and short names only", () => {
    const many = Array.from({ length: 100_000 }, (_, at) => `name${at}`);
    expect(suggest("Content", [...many, "content"])).toBeNull();
    expect(suggest("Content", ["c".repeat(1_000_000), "content"])).toBe("content");
  });

  test("is answered with the known names", () => {
    expect(unknownReason("tags", ["a", "b"], "fields")).toBe("is unknown; known fields are a, b");
    expect(unknownReason("tags", [], "fields")).toBe("is unknown; this operation takes none");
  });
});
