// Owns which component shows each address. All views are one chunk, which is loaded with the first of them: chunks of their own would take ten
// kilobytes more in all, because each is compressed alone, and every other view would wait for a load when it is opened.

// biome-ignore assist/source/organizeImports: views in the order of the navigation are beside similar ones, which makes the chunk 700 bytes smaller.
import type { ComponentType } from "preact";
import type { ViewName } from "../addresses.ts";
import { Overview } from "./overview/overview.tsx";
import { ProjectOverview } from "./overview/project-overview.tsx";
import { Memories } from "./memories/memories.tsx";
import { Subjects } from "./subjects/subjects.tsx";
import { Search } from "./search/search.tsx";
import { Extract } from "./extract/extract.tsx";
import { Ledger } from "./ledger/ledger.tsx";
import { Proof } from "./proof/proof.tsx";
import { FileProof } from "./proof/file-proof.tsx";
import { Exports } from "./exports/exports.tsx";
import { Keys } from "./keys/keys.tsx";
import { Projects } from "./projects/projects.tsx";
import { Sessions } from "./sessions/sessions.tsx";
import { Settings } from "./settings/settings.tsx";
import { SignIn } from "./sign-in/sign-in.tsx";

/** A component gets no properties: the address (query.ts, project.ts) and the session (session.ts) say what it shows. */
export const allViews: Readonly<Record<ViewName, ComponentType>> = {
  sessions: Sessions,
  settings: Settings,
  projects: Projects,
  keys: Keys,
  overview: Overview,
  "project-overview": ProjectOverview,
  memories: Memories,
  subjects: Subjects,
  search: Search,
  extract: Extract,
  ledger: Ledger,
  exports: Exports,
  proof: Proof,
  "file-proof": FileProof,
  "sign-in": SignIn,
};
