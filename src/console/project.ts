// Owns which project the address names, and the addresses of its views.

import { computed, signal } from "@preact/signals";
import { useRoute } from "preact-iso";
import type { Memledger } from "../../clients/typescript/src/client.ts";
import { type Address, addresses, type ViewName } from "./addresses.ts";
import { administer, clientOf } from "./api/calls.ts";
import { session } from "./session.ts";

/** What the console needs of a project. Administrators know the numbers of its memories and valid keys, too. */
export interface ProjectSummary {
  readonly id: string;
  readonly name: string;
  readonly memories?: number;
  readonly keys?: number;
}

/** Of the present view; null: none. The frame sets it. */
export const projectId = signal<string | null>(null);

/** For administrators, all projects; for the session of a key, its own one. Null: not read yet. */
const listed = signal<readonly ProjectSummary[] | null>(null);
export const projects = computed<readonly ProjectSummary[] | null>(() => {
  const { value } = session;
  if (value?.kind === "key") return value.project === null ? [] : [value.project];
  return listed.value;
});

/** @throws MemledgerError */
export async function readProjects(): Promise<void> {
  listed.value = await administer<ProjectSummary[]>("project.list", {}, true);
}

/** The name of a project, or its id while its name is not known. */
export function projectName(id: string): string {
  return projects.value?.find((project) => project.id === id)?.name ?? id;
}

/** In a view of a project: its id, and the client of the API for it. */
export function useProject(): { readonly id: string; readonly client: Memledger } {
  const { project = "" } = useRoute().params;
  return { id: project, client: clientOf(project) };
}

/** The path of a view, such as `/console/projects/PROJECT/memories`. */
export function pathOf(view: ViewName, project: string | null = projectId.value): string {
  const { path }: Address = addresses[view];
  return path.replace(":project", encodeURIComponent(project ?? ""));
}
