// Owns which attribute a statement gives a value: "Ana lives in Oslo." says where Ana lives. English only. Pure. Must never read an attribute
// of which a subject can have several values at a time.

import { habitRule } from "./habit-rules.ts";
import { personRules } from "./person-rules.ts";
import { type Attribute, type Rule, readRule } from "./rule.ts";
import { clausesOf, isReliable, toStatement } from "./statement.ts";
import { roleRule, workRules } from "./work-rules.ts";

const keyMaxCharacters = 200;
const rules: readonly Rule[] = [roleRule, ...personRules, ...workRules, habitRule];

/**
 * Of each clause of the text: "Ana left Oslo and works at Globex now". Empty: it gives no attribute a value, or may not be true now. A text
 * is 300 characters at most, and takes about 10 milliseconds at worst.
 */
export function attributesOf(content: string): readonly Attribute[] {
  const statement = toStatement(content);
  if (statement === null) return [];
  const clauses = clausesOf(statement);
  const read = clauses.map(readClause).filter((each) => each !== null);
  const whole = clauses.length === 1 ? null : readClause(statement);
  return whole === null ? read : [whole, ...read.filter(({ key }) => key !== whole.key)];
}

function readClause(statement: string): Attribute | null {
  if (!isReliable(statement)) return null;
  for (const rule of rules) {
    const read = readRule(rule, statement);
    if (read !== null && read.key.length <= keyMaxCharacters) return read;
  }
  return null;
}

/** Whether the older value is no longer the one of the attribute because of the newer one. */
export function replaces(newer: Attribute, older: Attribute): boolean {
  if (newer.key !== older.key || older.value === null) return false;
  if (newer.former !== null && !isSame(newer.former, older.value)) return false;
  return newer.value === null ? newer.former !== null : !isSame(newer.value, older.value);
}

/** "Oslo" and "Oslo, Norway" are the same value, one of them with more detail. */
function isSame(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return ` ${long} `.includes(` ${short} `);
}
