// Owns the table of the console's addresses: the one list that the browser routes by and that the server answers with the page. The
// server reads it, so it must never import anything.

/**
 * Who can open a view. `nothing`: no session is needed. `session`: any session. `administrator`: a session of an administrator.
 * `project`: a session of a key, or of an administrator, for the project in the address.
 */
export type Need = "nothing" | "session" | "administrator" | "project";

export interface Address {
  /** A parameter is a whole segment, such as `:project`. */
  readonly path: string;
  /** Title of the page, and the text of links to it. */
  readonly title: string;
  readonly needs: Need;
  /** Without which a key cannot open the view. Default: none */
  readonly permission?: string;
  /** Whether `subject` in the query names whose memories it shows. Default: those of the project itself */
  readonly forSubjects?: true;
}

/** By the name of the view, which is the name of its folder in views/. */
export const addresses = {
  overview: { path: "/console/", title: "Overview", needs: "session" },
  "sign-in": { path: "/console/sign-in", title: "Sign in", needs: "nothing" },
  projects: { path: "/console/projects", title: "Projects", needs: "administrator" },
  "project-overview": { path: "/console/projects/:project/overview", title: "Overview", needs: "project" },
  memories: {
    path: "/console/projects/:project/memories",
    title: "Memories",
    needs: "project",
    permission: "memory.read",
    forSubjects: true,
  },
  conversations: {
    path: "/console/projects/:project/conversations",
    title: "Conversations",
    needs: "project",
    permission: "memory.read",
    forSubjects: true,
  },
  suggestions: {
    path: "/console/projects/:project/suggestions",
    title: "Suggestions",
    needs: "project",
    permission: "memory.read",
    forSubjects: true,
  },
  subjects: {
    path: "/console/projects/:project/subjects",
    title: "Subjects",
    needs: "project",
    permission: "memory.read",
  },
  search: {
    path: "/console/projects/:project/search",
    title: "Search lab",
    needs: "project",
    permission: "memory.read",
    forSubjects: true,
  },
  extract: {
    path: "/console/projects/:project/extract",
    title: "Extract",
    needs: "project",
    permission: "memory.write",
    forSubjects: true,
  },
  ledger: {
    path: "/console/projects/:project/ledger",
    title: "Ledger",
    needs: "project",
    permission: "audit.read",
  },
  proof: {
    path: "/console/projects/:project/proof",
    title: "Proof",
    needs: "project",
    permission: "audit.export",
  },
  exports: {
    path: "/console/projects/:project/exports",
    title: "Exports",
    needs: "project",
    permission: "audit.export",
  },
  keys: { path: "/console/projects/:project/keys", title: "Keys", needs: "administrator" },
  "file-proof": { path: "/console/proof", title: "Proof of files", needs: "nothing" },
  sessions: { path: "/console/sessions", title: "Sessions", needs: "session" },
  settings: { path: "/console/settings", title: "Settings", needs: "administrator" },
} as const satisfies Readonly<Record<string, Address>>;

export type ViewName = keyof typeof addresses;
