// Owns which component shows each address of the table in addresses.ts. Each is a chunk of its own, loaded when its address is opened first.

import type { ComponentType } from "preact";
import { lazy } from "preact-iso";
import type { ViewName } from "./addresses.ts";

/** A component gets no properties: the address (query.ts, project.ts) and the session (session.ts) say what it shows. */
const byName = {
  sessions: lazy(() => import("./views/sessions/sessions.tsx").then(({ Sessions }) => Sessions)),
  settings: lazy(() => import("./views/settings/settings.tsx").then(({ Settings }) => Settings)),
  projects: lazy(() => import("./views/projects/projects.tsx").then(({ Projects }) => Projects)),
  keys: lazy(() => import("./views/keys/keys.tsx").then(({ Keys }) => Keys)),
  overview: lazy(() => import("./views/overview/overview.tsx").then(({ Overview }) => Overview)),
  "project-overview": lazy(() =>
    import("./views/overview/project-overview.tsx").then(({ ProjectOverview }) => ProjectOverview),
  ),
  memories: lazy(() => import("./views/memories/memories.tsx").then(({ Memories }) => Memories)),
  search: lazy(() => import("./views/search/search.tsx").then(({ Search }) => Search)),
  extract: lazy(() => import("./views/extract/extract.tsx").then(({ Extract }) => Extract)),
  ledger: lazy(() => import("./views/ledger/ledger.tsx").then(({ Ledger }) => Ledger)),
  exports: lazy(() => import("./views/exports/exports.tsx").then(({ Exports }) => Exports)),
  proof: lazy(() => import("./views/proof/proof.tsx").then(({ Proof }) => Proof)),
  "file-proof": lazy(() => import("./views/proof/file-proof.tsx").then(({ FileProof }) => FileProof)),
  "sign-in": lazy(() => import("./views/sign-in/sign-in.tsx").then(({ SignIn }) => SignIn)),
} satisfies Readonly<Partial<Record<ViewName, ComponentType>>>;

export const views: Readonly<Record<string, ComponentType>> = byName;
