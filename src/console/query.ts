// Owns the query of the address: filters, sort and what is open. Everything that a view shows follows from its address, so a view can be
// shared and loaded again.

import { useMemo } from "preact/hooks";
import { route, url } from "./location.ts";

export interface Query {
  /** Null: the address does not have it. Of several values the first. */
  readonly get: (name: string) => string | null;
  readonly all: (name: string) => readonly string[];
  /**
   * Changes the address; null, "" and [] remove a name.
   * @param step "push": the person can go back to the previous address. "replace": small steps, such as typing in a filter
   */
  readonly set: (changes: QueryChanges, step?: "push" | "replace") => void;
}

export type QueryChanges = Readonly<Record<string, string | readonly string[] | null>>;

export function useQuery(): Query {
  const { value: address } = url;
  return useMemo(() => {
    const { pathname, searchParams } = new URL(address, location.origin);
    return {
      get: (name) => searchParams.get(name),
      all: (name) => searchParams.getAll(name),
      set: (changes, step = "push") => {
        // The address may have changed since this was drawn.
        const present = new URLSearchParams(pathname === location.pathname ? location.search : searchParams);
        const next = withChanges(present, changes);
        if (next !== location.pathname + location.search) route(next, step === "replace");
      },
    };
  }, [address]);
}

function withChanges(present: URLSearchParams, changes: QueryChanges): string {
  for (const [name, value] of Object.entries(changes)) {
    present.delete(name);
    for (const each of typeof value === "string" ? [value] : (value ?? [])) {
      if (each !== "") present.append(name, each);
    }
  }
  return present.size === 0 ? location.pathname : `${location.pathname}?${present}`;
}
