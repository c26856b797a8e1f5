// Attacks on who owns what: rows of two projects are exchanged, each with its honest chain, so that one project gets the records, the name,
// the keys or the memories of the other. Every record and every checkpoint stays as it was.

import { broken, type Case } from "../audit/forge-case.ts";

/** The two projects have the serials 1 and 2. Unique values are set aside first. */
const exchange = (table: string, column: string) => `
  UPDATE ${table} SET ${column} = -${column} WHERE ${column} IN (1, 2);
  UPDATE ${table} SET ${column} = 3 + ${column} WHERE ${column} IN (-1, -2);`;
const exchangeOf = (column: string) => `
  CREATE TEMP TABLE former_${column} AS SELECT serial, ${column} AS value FROM project;
  UPDATE project SET ${column} = 'former ' || serial WHERE serial IN (1, 2);
  UPDATE project SET ${column} = (SELECT value FROM former_${column} WHERE serial = 3 - project.serial)
  WHERE serial IN (1, 2);`;
export const exchangeIds = exchangeOf("id");
export const exchangeNames = exchangeOf("name");
export const exchangeChains = exchange("audit_chain", "project");
export const exchangeKeys = exchange("api_key", "project");
export const exchangeMemories = exchange("memory", "project");
/** The oldest record of the first project that is still there and names its key. */
const oldest = 4;

export const forgedOwners: readonly Case[] = [
  { name: "projects-exchanged", lie: exchangeIds + exchangeChains, expected: broken("owner", oldest) },
  {
    name: "projects-exchanged-with-names",
    lie: exchangeIds + exchangeChains + exchangeNames,
    expected: broken("owner", oldest),
  },
  {
    name: "projects-exchanged-with-keys",
    lie: exchangeIds + exchangeChains + exchangeNames + exchangeKeys,
    expected: broken("owner", 5),
  },
  {
    name: "projects-exchanged-with-contents",
    lie: exchangeIds + exchangeChains + exchangeKeys + exchangeMemories,
    expected: broken("owner", null),
  },
  { name: "names-exchanged", lie: exchangeNames, expected: broken("owner", null) },
  {
    name: "name-changed",
    lie: "UPDATE project SET name = 'x' WHERE serial = 2",
    expected: broken("owner", null),
  },
  { name: "keys-exchanged", lie: exchangeKeys, expected: broken("owner", oldest) },
  { name: "key-moved", lie: "UPDATE api_key SET project = 1", expected: broken("owner", 1) },
  { name: "memories-exchanged", lie: exchangeMemories, expected: broken("owner", 5) },
  { name: "memory-moved", lie: "UPDATE memory SET project = 1", expected: broken("owner", 1) },
  {
    name: "listed-memories-exchanged",
    lie: "UPDATE memory SET project = 3 - project WHERE id GLOB 'b*'",
    expected: broken("owner", 22),
  },
  // Another number of the same project: nothing that a person sees has changed.
  {
    name: "honest-serials",
    lie: exchangeIds + exchangeChains + exchangeNames + exchangeKeys + exchangeMemories,
    expected: { verdict: "intact" },
  },
  {
    name: "honest-key-removed",
    lie: "DELETE FROM api_key; DELETE FROM memory",
    expected: { verdict: "intact" },
  },
];
