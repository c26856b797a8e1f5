// Owns the names of the API keys of a project, as far as the session may read them: administrators all of them, a key its own.

import { useMemo } from "preact/hooks";
import { administer } from "../../api/calls.ts";
import { useData } from "../../parts/use-data.ts";
import { isAdministrator, session } from "../../session.ts";

interface NamedKey {
  readonly id: string;
  readonly name: string;
}

/** By the id of the key. */
export function useKeyNames(project: string): ReadonlyMap<string, string> {
  const own = session.value?.key ?? null;
  const { value } = useData(project, async (signal) => {
    if (!isAdministrator.value) return own === null ? [] : [own];
    return administer<NamedKey[]>("key.list", { project }, true, { signal });
  });
  return useMemo(() => new Map(value?.map(({ id, name }) => [id, name])), [value]);
}
