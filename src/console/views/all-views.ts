// Owns which component shows each address. All views are one chunk, which is loaded with the first of them: chunks of their own would take ten
// kilobytes more in all, because each is compressed alone, and every other view would wait for a load when it is opened.

import type { ComponentType } from "preact";
import type { ViewName } from "../addresses.ts";

// Overviews. Similar views are beside each other, which makes the chunk 700 bytes smaller when it is compressed.

import { Overview } from "./overview/overview.tsx";
import { ProjectOverview } from "./overview/project-overview.tsx";

// Administration

import { Keys } from "./keys/keys.tsx";
import { Projects } from "./projects/projects.tsx";
import { Sessions } from "./sessions/sessions.tsx";
import { Settings } from "./settings/settings.tsx";
import { SignIn } from "./sign-in/sign-in.tsx";

// Memories

import { Conversations } from "./conversations/conversations.tsx";
import { Extract } from "./extract/extract.tsx";
import { Memories } from "./memories/memories.tsx";
import { Search } from "./search/search.tsx";
import { Subjects } from "./subjects/subjects.tsx";
import { Suggestions } from "./suggestions/suggestions.tsx";

// The ledger

import { Exports } from "./exports/exports.tsx";
import { Ledger } from "./ledger/ledger.tsx";
import { FileProof } from "./proof/file-proof.tsx";
import { Proof } from "./proof/proof.tsx";

/** A component gets no properties: the address (query.ts, project.ts) and the session (session.ts) say what it shows. */
export const allViews: Readonly<Record<ViewName, ComponentType>> = {
  sessions: Sessions,
  settings: Settings,
  projects: Projects,
  keys: Keys,
  overview: Overview,
  "project-overview": ProjectOverview,
  memories: Memories,
  conversations: Conversations,
  suggestions: Suggestions,
  subjects: Subjects,
  search: Search,
  extract: Extract,
  ledger: Ledger,
  exports: Exports,
  proof: Proof,
  "file-proof": FileProof,
  "sign-in": SignIn,
};
