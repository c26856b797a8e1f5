// Makes up memories and questions, the same ones in every run. Must never be used to judge quality.

/** Numbers in 0..1 from a seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const people = [
  "Alice",
  "Bob",
  "Carol",
  "the platform team",
  "our largest customer",
  "the new designer",
  "Dave",
];
const verbs = [
  "prefers",
  "approved",
  "postponed",
  "is responsible for",
  "asked about",
  "rejected",
  "reviews",
];
const things = [
  ...["the invoice export", "dark mode", "the weekly release", "PostgreSQL backups", "the mobile login"],
  ...["error budgets", "the onboarding guide", "vector search", "the quarterly report", "feature flags"],
];
const reasons = [
  ...["because the deadline moved", "after the incident in March", "until the audit is over"],
  ...["as agreed in the retrospective", "since the budget was cut", "whenever traffic doubles"],
];

/** A memory of about 20 tokens; different for every number. */
export function sentence(random: () => number, number: number): string {
  return `${pick(people, random)} ${pick(verbs, random)} ${pick(things, random)} ${pick(reasons, random)}, ticket ${number}.`;
}

/** A question of about 12 tokens; different for every number. */
export function question(random: () => number, number: number): string {
  return `Who ${pick(verbs, random)} ${pick(things, random)} in ticket ${number}?`;
}

function pick(choices: readonly string[], random: () => number): string {
  return choices[Math.floor(random() * choices.length)] ?? "";
}
