// Owns the sentences that `memledger connect` adds to its report: what the user has to know or to do.

import type { Assistant, Scope } from "../../assistants/connect/assistant.ts";
import type { Target } from "../../assistants/connect/server-entry.ts";
import { defaultProject } from "../../assistants/local-access/project-name.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { apiKeyVariable } from "../../server/config/client-variables.ts";

interface Noted {
  readonly assistant: Assistant;
  readonly scope: Scope;
  readonly target: Target;
  readonly withHooks: boolean;
}

export function notesOn({ assistant, scope, target, withHooks }: Noted): string[] {
  const notes: string[] = [];
  const { title } = assistant;
  if (target.kind === "local")
    notes.push(`The memories are in ${target.dataDir}, ${projectOf(target.project)}${subjectOf(target)}.`);
  else {
    if (target.key === null)
      notes.push(`Set ${apiKeyVariable} in the environment in which you start ${title}.`);
    else notes.push("The file contains the API key, and only you can read it. Do not share it.");
    if (target.key !== null && withHooks) notes.push(`The hooks read the API key from ${apiKeyVariable}.`);
    notes.push(
      `The server was not called. To check the address and the API key, run: ${checkOf(target.url)}`,
    );
    if (isUnencrypted(target.url))
      notes.push(`${target.url} is not encrypted: others in the network can read the API key.`);
  }
  if (scope === "project" && (target.kind === "local" || withHooks))
    notes.push("The file contains paths of this machine. Do not commit it.");
  if (withHooks)
    notes.push(
      "Conversations are stored word for word when they end, or as statements if the server has a language model. To keep only what is essential, set --detail of the last hook to essential.",
    );
  if (withHooks && target.kind === "remote" && target.subject === null)
    notes.push(
      "Unless the API key is for a subject, everybody with a key of the project can read these conversations. To separate them, add --subject with your name.",
    );
  if (withHooks && assistant.hooks?.note !== undefined) notes.push(assistant.hooks.note);
  return notes;
}

/** No command of memledger: one that calls a server elsewhere waits for it, or writes all memories. */
function checkOf(url: string): string {
  const address = quoteWord(`${url}/v1/memories?page_size=1`);
  return `curl -sS --fail-with-body -H "Authorization: Bearer $${apiKeyVariable}" ${address}`;
}

function projectOf(project: string | null): string {
  return project === "auto"
    ? "each git repository in a project with its name"
    : `in the project ${quoteWord(project ?? defaultProject)}`;
}

function subjectOf({ subject }: Target): string {
  return subject === null ? "" : `, of the subject ${quoteWord(subject)}`;
}

function isUnencrypted(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
