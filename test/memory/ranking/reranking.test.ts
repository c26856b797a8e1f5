// Tests the second ranking: its relevance and its order, against a naive version.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  candidatesAmong,
  candidatesFor,
  rerankedOrder,
  rerankedRelevance,
} from "../../../src/memory/ranking/reranking.ts";
import { finalScore } from "../../../src/memory/ranking/scores.ts";

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const evidence = fc.record({
  relevance: unit,
  maxSim: fc.double({ min: -1, max: 1, noNaN: true }),
  period: unit,
});

test("relevance is in 0..1", () => {
  fc.assert(
    fc.property(evidence, (given) => {
      expect(rerankedRelevance(given)).toBeGreaterThanOrEqual(0);
      expect(rerankedRelevance(given)).toBeLessThanOrEqual(1);
    }),
  );
});

test("relevance never decreases with the first relevance, MaxSim or the share of the period", () => {
  fc.assert(
    fc.property(evidence, evidence, (a, b) => {
      const more = {
        relevance: Math.max(a.relevance, b.relevance),
        maxSim: Math.max(a.maxSim, b.maxSim),
        period: Math.max(a.period, b.period),
      };
      expect(rerankedRelevance(more)).toBeGreaterThanOrEqual(rerankedRelevance(a));
    }),
  );
});

test("the order is that of the final scores, and equal candidates keep their places", () => {
  // Few values, so that many scores are equal.
  const part = fc.constantFrom(0, 0.25, 0.5, 1);
  const candidates = fc.array(fc.record({ relevance: part, importance: part }), { maxLength: 40 });
  fc.assert(
    fc.property(candidates, (given) => {
      const scoreOf = (at: number) => finalScore(given[at]?.relevance ?? 0, given[at]?.importance ?? 0);
      const places = [...given.keys()];
      for (let done = 0; done < places.length; done++) {
        let best = done;
        for (let at = done; at < places.length; at++) {
          const [a, b] = [places[at] ?? 0, places[best] ?? 0];
          if (scoreOf(a) > scoreOf(b) || (scoreOf(a) === scoreOf(b) && a < b)) best = at;
        }
        places.splice(done, 0, ...places.splice(best, 1));
      }
      const numbered = given.map((each, at) => ({ ...each, at }));
      expect(rerankedOrder(numbered).map(({ at }) => at)).toEqual(places);
    }),
  );
});

test("as many are judged as without a period: all that are in front, and behind them those of the period first", () => {
  const found = fc.array(fc.boolean(), { maxLength: 300 });
  fc.assert(
    fc.property(found, fc.integer({ min: 1, max: 50 }), (ofPeriod, topK) => {
      const places = [...ofPeriod.keys()].slice(0, candidatesFor(topK, true));
      const plain = candidatesAmong(places, topK, null);
      expect(plain).toEqual(places.slice(0, candidatesFor(topK, false)));
      const chosen = candidatesAmong(places, topK, (place) => ofPeriod[place] ?? false);
      expect(chosen).toHaveLength(plain.length);
      expect(new Set(chosen).size).toBe(chosen.length);
      const certain = Math.max(0, Math.max(topK, 32) - 16);
      expect(chosen.slice(0, certain)).toEqual(places.slice(0, certain));
      const isOther = (place: number) => !ofPeriod[place];
      expect(chosen.filter((place) => !plain.includes(place)).filter(isOther)).toEqual([]);
      const leftOut = places.filter((place) => !chosen.includes(place));
      if (chosen.slice(certain).some(isOther)) expect(leftOut.filter((place) => ofPeriod[place])).toEqual([]);
    }),
  );
});
