// Owns the use of secretlint, whose rules find the secrets of many services. Must never let a text decide which rules apply to it.

import { lintSource } from "@secretlint/core";
import { secretLintProfiler } from "@secretlint/profiler";
import { rules as presetRules } from "@secretlint/secretlint-rule-preset-recommend";
import type { FoundSecret } from "./found-secret.ts";

// It would keep the times of every run in memory.
secretLintProfiler.setEnabled(false);

const prefix = "@secretlint/secretlint-rule-";
/** Comments such as "secretlint-disable" in a text would switch other rules off. Of addresses only the credentials are secret. */
const omitted = new Set(["filter-comments", "basicauth", "database-connection-string"]);
const rules = presetRules
  .filter(({ meta }) => !omitted.has(meta.id.slice(prefix.length)))
  .map((rule) => ({ id: rule.meta.id, rule, options: {} }));

/** A reported range may end before the secret does (as of AWS keys in 13.0.7); the rest of the word belongs to it. */
const restOfWord = /(?:[^\s"'`<>.,;:!?)\]}]|[.,;:!?)\]}](?=[\w+/=-]))*/y;

/** What the rules of secretlint find; the kind is the name of the rule, such as "github". */
export async function findByLibrary(text: string): Promise<FoundSecret[]> {
  // Without a path, no rule looks for a file.
  const source = { filePath: "", content: text, contentType: "text", ext: ".txt" } as const;
  const { messages } = await lintSource({ source, options: { config: { rules }, noPhysicFilePath: true } });
  return messages.map(({ ruleId, range: [start, end] }) => {
    restOfWord.lastIndex = end;
    const rest = restOfWord.exec(text)?.[0].length ?? 0;
    return { kind: ruleId.slice(prefix.length), start, end: end + rest };
  });
}
