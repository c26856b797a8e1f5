// Owns the warnings about projects and keys: what expires, and what is almost used up.

import { counted } from "../../../../platform/text/plural.ts";
import { toTimestamp } from "../../../../platform/time/timestamp.ts";
import type { WarningRule } from "./warning.ts";

export const projectWarnings: readonly WarningRule[] = [
  {
    code: "key_expires",
    severity: "warning",
    when: "an API key expires within 14 days",
    find: ({ nearLimits }) => {
      const [first] = nearLimits?.keys.first ?? [];
      if (nearLimits === null || first === undefined) return null;
      const names = nearLimits.keys.first.map(
        ({ name, project, expiresAt }) =>
          `"${name}" of "${project}" on ${toTimestamp(expiresAt).slice(0, 10)}`,
      );
      return {
        message: `${counted(nearLimits.keys.count, "API key")} will expire within 14 days: ${listed(names, nearLimits.keys.count)}.`,
        remedy: "Create a new key for each, replace it where it is used, then revoke the previous one.",
        view: keysView(first.projectId),
      };
    },
  },
  {
    code: "memories_almost_full",
    severity: "warning",
    when: "a project has used 90 % of its maximum number of memories",
    find: ({ nearLimits }) => {
      const [first] = nearLimits?.memories.first ?? [];
      if (nearLimits === null || first === undefined) return null;
      const names = nearLimits.memories.first.map(
        ({ project, memories, limit }) => `"${project}" has ${memories} of ${limit}`,
      );
      return {
        message: `${counted(nearLimits.memories.count, "project is close to its", "projects are close to their")} memory limit: ${listed(names, nearLimits.memories.count)}.`,
        remedy: `Delete memories, or raise the limit: memledger project update ${first.projectId} --memory-limit NUMBER`,
        view: "/console/projects",
      };
    },
  },
  {
    code: "credits_almost_used",
    severity: "warning",
    when: "a project has credits for at most 20 extractions",
    find: ({ nearLimits }) => {
      const [first] = nearLimits?.credits.first ?? [];
      if (nearLimits === null || first === undefined) return null;
      const names = nearLimits.credits.first.map(
        ({ project, credits }) => `"${project}" has ${counted(credits, "credit")}`,
      );
      return {
        message: `${counted(nearLimits.credits.count, "project has", "projects have")} used almost all credits: ${listed(names, nearLimits.credits.count)}.`,
        remedy: `Add credits: memledger project update ${first.projectId} --credits NUMBER`,
        view: "/console/projects",
      };
    },
  },
];

function keysView(projectId: string): string {
  return `/console/projects/${projectId}/keys`;
}

/** @param count how many there are, of which `names` are the first ones */
function listed(names: readonly string[], count: number): string {
  const rest = count - names.length;
  return rest === 0 ? names.join(", ") : `${names.join(", ")}, and ${rest} more`;
}
