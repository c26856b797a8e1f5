// Owns the SQL of filters by metadata. Whether a memory matches follows from its row, or from the index of all members.

import type {
  MetadataBound,
  MetadataCondition,
  MetadataValue,
} from "../../../memory/search/metadata-filter.ts";
import { oneOwner } from "./tags.ts";

/** What SQLite gets as a parameter. */
type Parameter = string | number | Uint8Array;

export interface MetadataSql {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

/** The value of a member as in memory_metadata, of a row of json_each. */
const valueOfMember =
  "CASE j.type WHEN 'text' THEN j.value WHEN 'integer' THEN CAST(j.value AS REAL) WHEN 'real' THEN j.value WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE x'' END";

/** Whether the memory `m` matches. @param at position of the condition, so that its parameters have names of their own */
export function matchesRow(condition: MetadataCondition, at: number): MetadataSql {
  const { sql, parameters } = valueCondition(condition, at, valueOfMember);
  const member = `SELECT 1 FROM json_each(m.metadata) j WHERE j.key = :name${at} AND ${sql}`;
  return { sql: `${condition.isWanted ? "" : "NOT "}EXISTS (${member})`, parameters };
}

/**
 * A query for the serials of all memories that have a member as `condition` says, hidden memories included.
 * @param owners as of taggedMemories
 */
export function serialsOf(condition: MetadataCondition, at: number, owners = oneOwner): MetadataSql {
  const { sql, parameters } = valueCondition(condition, at, "t.value");
  return {
    sql: `SELECT t.memory FROM memory_metadata t WHERE t.project ${owners} AND t.name = :name${at} AND ${sql}`,
    parameters,
  };
}

/**
 * A query for the serials of the memories that match, each once, without those that a bulk delete has hidden.
 * @param pools restricts the pools `p`, such as "p.memory_type = 'fact'" @param owners as of taggedMemories
 */
export function describedMemories(
  condition: MetadataCondition,
  at: number,
  pools: string,
  owners: string,
): MetadataSql {
  const { sql, parameters } = valueCondition(condition, at, "t.value");
  const member = `t.project = p.project AND t.memory_type = p.memory_type AND t.epoch = p.epoch
      WHERE p.project ${owners} AND t.project ${owners} AND t.name = :name${at} AND ${sql} AND (${pools})`;
  if (!condition.isWanted) {
    const all = `SELECT m.serial AS memory FROM pool p CROSS JOIN memory m INDEXED BY memory_by_pool
      ON m.project = p.project AND m.memory_type = p.memory_type AND m.epoch = p.epoch
      WHERE p.project ${owners} AND (${pools})`;
    return { sql: `${all} EXCEPT ${serialsOf(condition, at, owners).sql}`, parameters };
  }
  // Of one value, each pool has one range; a range of values has the rows of all pools.
  const from =
    condition.in === null ? "memory_metadata t CROSS JOIN pool p" : "pool p CROSS JOIN memory_metadata t";
  return { sql: `SELECT t.memory FROM ${from} ON ${member}`, parameters };
}

const operators = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** @param value SQL of a value, as memory_metadata has it: all numbers are below all strings, and these below everything else */
function valueCondition(
  { name, in: choices, bounds }: MetadataCondition,
  at: number,
  value: string,
): MetadataSql {
  const chosen =
    choices?.map((choice, index) => [`choice${at}_${index}`, toParameter(choice)] as const) ?? [];
  const bounded = bounds.map(({ value: bound }, index) => [`bound${at}_${index}`, bound] as const);
  const conditions = [
    ...(choices === null ? [] : [`${value} IN (${chosen.map(([parameter]) => `:${parameter}`).join(", ")})`]),
    ...boundConditions(bounds, at, value),
  ];
  return {
    sql: conditions.length === 0 ? "TRUE" : conditions.join(" AND "),
    parameters: { [`name${at}`]: name, ...Object.fromEntries([...chosen, ...bounded]) },
  };
}

/** Each type of the value that is compared has one range. */
function boundConditions(bounds: readonly MetadataBound[], at: number, value: string): readonly string[] {
  const [first] = bounds;
  if (first === undefined) return [];
  if (bounds.some((bound) => typeof bound.value !== typeof first.value)) return ["FALSE"];
  const isText = typeof first.value === "string";
  const isBelow = ({ order }: MetadataBound) => order === "lt" || order === "lte";
  return [
    ...bounds.map(({ order }, index) => `${value} ${operators[order]} :bound${at}_${index}`),
    ...(isText && bounds.every(isBelow) ? [`${value} >= ''`] : []),
    ...(bounds.some(isBelow) ? [] : [`${value} < ${isText ? "x''" : "''"}`]),
  ];
}

function toParameter(value: MetadataValue): Parameter {
  return typeof value === "boolean" ? Uint8Array.of(value ? 1 : 0) : value;
}
