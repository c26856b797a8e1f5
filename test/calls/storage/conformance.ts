// The conformance suite of a storage engine: what every engine must do, whatever it stores its data in. A new engine calls
// describeEngine in a test of its own. Must never name an engine.

import { afterAll, describe, test } from "bun:test";
import { testAccess } from "./conformance/access.ts";
import { testCalls } from "./conformance/calls.ts";
import { closeShared, type EngineUnderTest } from "./conformance/engine-under-test.ts";
import { testErasure } from "./conformance/erasure.ts";
import { testErasureRaces } from "./conformance/erasure-races.ts";
import { testExports } from "./conformance/exports.ts";
import { testLedger } from "./conformance/ledger.ts";
import { testLifecycle } from "./conformance/lifecycle.ts";
import { testMemories } from "./conformance/memories.ts";
import { testMemoryPages } from "./conformance/memory-pages.ts";
import { testMetadata } from "./conformance/metadata.ts";
import { testModels } from "./conformance/models.ts";
import { testOrder } from "./conformance/order.ts";
import { testPassages } from "./conformance/passages.ts";
import { testRemembering } from "./conformance/remembering.ts";
import { testRetention } from "./conformance/retention.ts";
import { testSearch } from "./conformance/search.ts";
import { testSimilarMemories } from "./conformance/similar-memories.ts";
import { testStatistics } from "./conformance/statistics.ts";
import { testSuggestions } from "./conformance/suggestions.ts";
import { testTags } from "./conformance/tags.ts";
import { testWords } from "./conformance/words.ts";

/** Optional parts that `engine.lacks` names are reported as skipped, each with its reason. */
export function describeEngine(engine: EngineUnderTest): void {
  describe(`the engine ${engine.name}`, () => {
    afterAll(() => closeShared(engine));
    for (const [part, reason] of Object.entries(engine.lacks))
      test.skip(`lacks ${part}: ${reason}`, () => {});
    testLifecycle(engine);
    testModels(engine);
    testAccess(engine);
    testCalls(engine);
    testOrder(engine);
    testMemories(engine);
    testMemoryPages(engine);
    testPassages(engine);
    testSuggestions(engine);
    testStatistics(engine);
    testSearch(engine);
    testTags(engine);
    testMetadata(engine);
    testWords(engine);
    testSimilarMemories(engine);
    testLedger(engine);
    testErasure(engine);
    testErasureRaces(engine);
    testRemembering(engine);
    testRetention(engine);
    testExports(engine);
  });
}
