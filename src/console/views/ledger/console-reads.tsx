// The switch that shows what administrators have read in the console. Each of their clicks is recorded, so records of others would be hard to
// find among them.

import { Switch } from "../../parts/field.tsx";
import type { Query } from "../../query.ts";

const name = "console_reads";

/** What is left out of lists of records, unless the address says otherwise. */
export function withoutConsoleReads({ get }: Query) {
  return get(name) === "shown" ? {} : { without_console_reads: true };
}

export function ConsoleReadsSwitch({ query }: { readonly query: Query }) {
  return (
    <Switch
      label="Reads in the console"
      isOn={query.get(name) === "shown"}
      onChange={(isOn) => query.set({ [name]: isOn ? "shown" : null }, "replace")}
    />
  );
}
