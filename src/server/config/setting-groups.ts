// Owns under which heading the help lists a setting.

import { confirmationSettings } from "./confirmation-settings.ts";
import { gatewaySettings } from "./gateway-settings.ts";
import { networkSettings } from "./network-settings.ts";
import { searchSettings } from "./search-settings.ts";
import type { Setting } from "./setting.ts";

const tables: readonly (readonly [heading: string, table: object])[] = [
  ["Network:", networkSettings],
  ["Search:", searchSettings],
  ["Gateway:", gatewaySettings],
  ["Ledger:", confirmationSettings],
];

/** Of the settings without a table of their own, by the beginning of their names. */
const beginnings: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ["Backup:", ["backup-", "migration-backup"]],
  ["Language model:", ["llm-"]],
  ["Ledger:", ["audit-", "payload-", "installation-", "export-", "checkpoint-"]],
  ["Credits:", ["extraction-credits", "charge-", "credit-"]],
  ["Search:", ["model"]],
];

/** Null: none of its own. */
export function headingOf(setting: Setting<unknown>): string | null {
  const [found] = tables.filter(([, table]) => Object.values(table).includes(setting));
  if (found !== undefined) return found[0];
  const begun = beginnings.find(([, names]) => names.some((name) => setting.name.startsWith(name)));
  return begun?.[0] ?? null;
}
