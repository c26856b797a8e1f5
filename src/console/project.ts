// Owns which project the address names, and the addresses of its views.

import { signal } from "@preact/signals";
import { type Address, addresses, type ViewName } from "./addresses.ts";
import { administer, clientOf, type ProjectClient } from "./api/calls.ts";
import { shownPage, shownSubject } from "./location.ts";
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

/** Names by id, as far as they are known. */
const names = signal<ReadonlyMap<string, string>>(new Map());

interface ProjectListQuery {
  readonly text?: string;
  readonly sort_by?: "created_at" | "memories";
  readonly page_size?: number;
  readonly after?: string | undefined;
}

/** Projects of the installation, for administrators. @throws MemledgerError */
export async function listProjects<Summary extends ProjectSummary>(
  query: ProjectListQuery,
  signal?: AbortSignal,
): Promise<readonly Summary[]> {
  // A text has at least one character.
  const input = query.text === "" ? { ...query, text: undefined } : query;
  const found = await administer<Summary[]>("project.list", input, true, { signal });
  remember(found);
  return found;
}

/** Makes the name of the project known. For administrators. @throws MemledgerError */
export async function readProjectName(id: string): Promise<void> {
  if (!names.value.has(id))
    remember([await administer<ProjectSummary>("project.show", { project: id }, true)]);
}

function remember(found: readonly ProjectSummary[]): void {
  names.value = new Map([...names.value, ...found.map(({ id, name }) => [id, name] as const)]);
}

/** The name of a project, or its id while its name is not known. */
export function projectName(id: string): string {
  const own = session.value?.project;
  return own?.id === id ? own.name : (names.value.get(id) ?? id);
}

interface ShownProject {
  readonly id: string;
  /** Whose memories are shown; null: those of the project itself. */
  readonly subject: string | null;
  /** Text that names whose memories they are, for drafts. */
  readonly owner: string;
  /** Its calls are for them. */
  readonly client: ProjectClient;
}

/** In a view of a project. */
export function useProject(): ShownProject {
  const id = shownPage()?.project ?? "";
  const subject = shownSubject();
  const owner = subject === null ? id : `${id} ${subject}`;
  return { id, subject, owner, client: clientOf(id, subject) };
}

/** The path of a view, such as `/console/projects/PROJECT/memories`. */
export function pathOf(view: ViewName, project: string | null = projectId.value): string {
  const { path }: Address = addresses[view];
  return path.replace(":project", encodeURIComponent(project ?? ""));
}

/** The address of a view of the present project, with what it shows. Null is left out. */
export function linkTo(view: ViewName, query: Readonly<Record<string, string | null>>): string {
  const said = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
  return `${pathOf(view)}?${new URLSearchParams(said)}`;
}
