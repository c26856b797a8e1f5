// Owns the options that select audit records of a project, for the commands that list and export them.

import { type Field, jsonObject } from "../access/administration.ts";

export const recordFields: readonly Field[] = [
  { flags: "--action <name>", field: "action", description: "only this action, such as memory.search" },
  { flags: "--subject <name>", field: "subject", description: "only calls for this subject" },
  {
    flags: "--on-behalf-of <name>",
    field: "on_behalf_of",
    description: "only calls whose client has said that it acts for this person",
  },
  {
    flags: "--conversation <id>",
    field: "conversation",
    description: "only calls that named this conversation of the subject, or of the project itself",
  },
  { flags: "--memory <id>", field: "memory_id", description: "only calls that named this memory" },
  {
    flags: "--tag <tag>",
    field: "tag",
    description: "only calls that named a memory with this tag; can be repeated, then with all of them",
    isRepeated: true,
  },
  {
    flags: "--metadata <json>",
    field: "metadata",
    description: "only calls that named a memory with this metadata",
    read: jsonObject,
  },
  { flags: "--key <id>", field: "key_id", description: "only calls with this API key" },
  { flags: "--status <2xx|4xx|5xx>", field: "status_class", description: "only this class of HTTP status" },
];
