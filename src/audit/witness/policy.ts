// Owns the policy by which a person decides which witnesses suffice (C2SP tlog-policy): reading its file, and whether its quorum is reached.
// Pure.

import type { Cryptography } from "../verify/cryptography.ts";
import { UnusableInput } from "../verify/verdict.ts";
import { isCosigning, parseVerifierKeyOf, type VerifierKey } from "./verifier-key.ts";

export interface Policy {
  /** Empty: the policy does not say which logs. */
  readonly logs: readonly VerifierKey[];
  readonly witnesses: readonly PolicyWitness[];
  /** How the quorum reads in the file. */
  readonly quorum: string;
  /** @param signers texts of the keys of witnesses that have signed */
  isReached(signers: ReadonlySet<string>): boolean;
}

export interface PolicyWitness {
  readonly name: string;
  readonly key: VerifierKey;
}

type Rule = (signers: ReadonlySet<string>) => boolean;

/** @param source for messages. @throws UnusableInput that names the line */
export function readPolicy(file: string, source: string, cryptography: Cryptography): Policy {
  const reading = startReading(cryptography);
  for (const [index, line] of file.split("\n").entries()) {
    const words = line.split(/[ \t]+/).filter((word) => word !== "");
    if (words.length === 0 || words[0]?.startsWith("#")) continue;
    const problem = hasControls(line) ? "has a control character" : reading.take(words);
    if (problem !== null) throw new UnusableInput(`${source}, line ${index + 1}: ${problem}.`);
  }
  const policy = reading.finish();
  if (policy === null)
    throw new UnusableInput(`${source} has no quorum line. Add one, such as "quorum none".`);
  return policy;
}

/** Other than tabs. */
function hasControls(line: string): boolean {
  return [...line].some((character) => (character < " " && character !== "\t") || character === "\x7f");
}

/** @returns `take`, which says what is wrong with a line */
function startReading(cryptography: Cryptography) {
  const logs: VerifierKey[] = [];
  const witnesses: PolicyWitness[] = [];
  const rules = new Map<string, Rule>();
  const members = new Set<string>();
  let quorum: { readonly name: string; readonly rule: Rule } | null = null;

  const takeLog = ([vkey = "", , ...more]: readonly string[]): string | null => {
    const key = parseVerifierKeyOf(vkey, cryptography);
    if (key === null || isCosigning(key) || more.length > 0) return "must be: log KEY [URL]";
    if (logs.some((log) => isSameKey(log, key))) return "names a log a second time";
    logs.push(key);
    return null;
  };
  const takeWitness = ([name = "", vkey = "", , ...more]: readonly string[]): string | null => {
    const key = parseVerifierKeyOf(vkey, cryptography);
    if (key === null || !isCosigning(key) || more.length > 0)
      return "must be: witness NAME KEY [URL], with the key of a witness";
    if (witnesses.some((witness) => isSameKey(witness.key, key))) return "names a witness a second time";
    witnesses.push({ name, key });
    return define(name, (signers) => signers.has(key.text));
  };
  const takeGroup = ([name = "", count = "", ...names]: readonly string[]): string | null => {
    const k =
      count === "all" ? names.length : count === "any" ? 1 : /^[1-9]\d*$/.test(count) ? Number(count) : 0;
    if (k < 1 || k > names.length)
      return "must be: group NAME all|any|K NAME..., with K of the names at most";
    const found = names.map((each) => rules.get(each));
    const unknown = names.find((_, index) => found[index] === undefined);
    if (unknown !== undefined) return `names ${unknown}, which no line before defines`;
    const repeated = names.find((each, index) => members.has(each) || names.indexOf(each) < index);
    if (repeated !== undefined) return `names ${repeated}, which is a member of a group already`;
    for (const each of names) members.add(each);
    return define(name, (signers) => found.filter((rule) => rule?.(signers) === true).length >= k);
  };
  const define = (name: string, rule: Rule): string | null => {
    if (name === "none" || rules.has(name)) return `defines the name ${name}, which is taken`;
    rules.set(name, rule);
    return null;
  };
  const takeQuorum = ([name = "", ...more]: readonly string[]): string | null => {
    const rule = name === "none" ? () => true : rules.get(name);
    if (more.length > 0 || quorum !== null) return "must be the only line: quorum NAME";
    if (rule === undefined) return `names ${name}, which no line before defines`;
    quorum = { name, rule };
    return null;
  };
  const kinds: Readonly<Record<string, (words: readonly string[]) => string | null>> = {
    log: takeLog,
    witness: takeWitness,
    group: takeGroup,
    quorum: takeQuorum,
  };
  return {
    take: ([kind = "", ...words]: readonly string[]) =>
      Object.hasOwn(kinds, kind)
        ? (kinds[kind]?.(words) ?? null)
        : `begins with ${kind}; it must begin with log, witness, group or quorum`,
    finish: (): Policy | null =>
      quorum === null ? null : { logs, witnesses, quorum: quorum.name, isReached: quorum.rule },
  };
}

function isSameKey(one: VerifierKey, other: VerifierKey): boolean {
  return one.type === other.type && one.publicKey.every((byte, index) => byte === other.publicKey[index]);
}
