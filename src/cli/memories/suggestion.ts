// Binds `memledger suggestion`: lists, accepts and refuses changes of memories that wait for a decision, through the API.

import { type Command, InvalidArgumentError, Option } from "commander";
import { decisionsMax } from "../../memory/suggestions/limits.ts";
import { suggestionKinds } from "../../memory/suggestions/suggestion.ts";
import { isObject, type JsonObject, objectsIn } from "../../platform/json/json.ts";
import { counted } from "../../platform/text/plural.ts";
import { version } from "../../platform/version.ts";
import { bindWork, type Invocation, type Session } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { addSubjectOption, addTargetOptions, openCalls } from "../server-target.ts";
import { type Report, table } from "../terminal.ts";

const userAgent = { "User-Agent": `memledger-suggestion/${version}` };
const pageSize = 100;

export function addSuggestionCommands(program: Command, session: Session): void {
  const suggestion = program
    .command("suggestion")
    .description("List, accept and refuse changes of memories that wait for a decision.");
  const listing = suggestion
    .command("list")
    .description("List suggestions, newest first, with what accepting them would change.");
  addSubjectOption(addTargetOptions(listing, "refused"))
    .addOption(new Option("--kind <kind>", "only suggestions of this kind").choices(suggestionKinds))
    .option("--memory <id>", "only suggestions that concern this memory");
  bindWork(listing, session, async (invocation) => toListReport(await listAll(invocation)));
  for (const decision of ["accept", "refuse"] as const) {
    const deciding = suggestion
      .command(decision)
      .description(
        decision === "accept"
          ? "Make the changes that suggestions propose. Exit code 1 if one could not be accepted."
          : "Remove suggestions; memories stay as they are. Exit code 1 if one does not exist.",
      )
      .argument("<id...>", "ids of suggestions", addId);
    addSubjectOption(addTargetOptions(deciding, "refused"));
    bindWork(deciding, session, async (invocation) => {
      const results = await decide(invocation, decision);
      if (results.some(({ status }) => status === "failed")) session.exitCode = exitCodes.failed;
      return toDecisionReport(results);
    });
  }
}

function addId(id: string, ids: readonly string[] = []): readonly string[] {
  if (/^[0-9a-f]{32}$/i.test(id)) return [...ids, id];
  throw new InvalidArgumentError("An id has 32 hexadecimal characters.");
}

async function listAll(invocation: Invocation): Promise<readonly JsonObject[]> {
  const { kind, memory } = invocation.options;
  const call = await openCalls(invocation);
  const query = new URLSearchParams({ page_size: String(pageSize) });
  if (typeof kind === "string") query.set("kind", kind);
  if (typeof memory === "string") query.set("memory_id", memory);
  const found: JsonObject[] = [];
  for (;;) {
    const page = await call(`/v1/suggestions?${query}`, { method: "GET", headers: userAgent });
    found.push(...objectsIn(page.suggestions));
    if (typeof page.next_cursor !== "string") return found;
    query.set("cursor", page.next_cursor);
  }
}

async function decide(invocation: Invocation, decision: "accept" | "refuse"): Promise<readonly JsonObject[]> {
  const ids = invocation.operands.map((id) => id.toLowerCase());
  const call = await openCalls(invocation);
  const results: JsonObject[] = [];
  for (let start = 0; start < ids.length; start += decisionsMax) {
    const suggestion_ids = ids.slice(start, start + decisionsMax);
    const answer = await call(`/v1/suggestions/${decision}`, {
      method: "POST",
      headers: { ...userAgent, "Content-Type": "application/json" },
      body: JSON.stringify({ suggestion_ids }),
    });
    // A failed one has no id.
    results.push(
      ...objectsIn(answer.results).map((each, at) => ({ ...each, id: suggestion_ids[at] ?? null })),
    );
  }
  return results;
}

function toListReport(suggestions: readonly JsonObject[]): Report {
  if (suggestions.length === 0) return { data: { suggestions }, text: "No suggestion waits." };
  const rows = suggestions.map(({ id, kind, outdated, memories, changes }) => [
    id,
    outdated === true ? `${kind}, outdated` : kind,
    objectsIn(memories)
      .map(({ content }) => JSON.stringify(content))
      .join(" / "),
    objectsIn(changes).map(describeChange).join("; "),
  ]);
  return { data: { suggestions }, text: table(["suggestion", "kind", "memories", "changes"], rows) };
}

function describeChange({ change, after }: JsonObject): string {
  return isObject(after) ? `${change} ${JSON.stringify(after)}` : String(change);
}

function toDecisionReport(results: readonly JsonObject[]): Report {
  const failed = results.filter(({ status }) => status === "failed");
  const done = results.length - failed.length;
  const lines = failed.map(({ id, message }) => `${id}: ${message}`);
  const status = results.find((each) => each.status !== "failed")?.status ?? "decided";
  const text = [`${counted(done, "suggestion")} ${status}.`, ...lines].join("\n");
  return { data: { results }, text };
}
