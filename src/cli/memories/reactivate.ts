// Binds `memledger memory reactivate`: memories that a newer one has superseded, listed, and with --apply active again. Through the API, so
// each change is in the ledger.

import { type Command, InvalidArgumentError } from "commander";
import type { RepeatedCall } from "../../assistants/local-access/repeated-call.ts";
import { batchMaxItems } from "../../memory/limits.ts";
import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { counted } from "../../platform/text/plural.ts";
import { version } from "../../platform/version.ts";
import { bindWork, type Invocation, type Session } from "../command.ts";
import { addTargetOptions, openCalls } from "../server-target.ts";
import { type Report, table } from "../terminal.ts";

export function addMemoryReactivateCommand(memory: Command, session: Session): void {
  const command = memory
    .command("reactivate")
    .description(
      "List the inactive memories that a newer memory has replaced, each with the newer one. They were replaced by an accepted suggestion, by a language model, or by a rule of a previous version.",
    );
  command.argument("[id...]", "only these memories; default: all that are listed");
  addTargetOptions(command, "refused").option("--apply", "make them active again");
  bindWork(command, session, run);
}

async function run(invocation: Invocation): Promise<Report> {
  const { options, operands } = invocation;
  const call = await openCalls(invocation);
  const all = await findSuperseded(call);
  const unknown = operands.filter((id) => !all.some((memory) => memory.id === id));
  if (unknown.length > 0)
    throw new InvalidArgumentError(
      `${unknown.join(", ")}: no memory that is inactive because of a newer one. Run the command without ids to list them.`,
    );
  const found = operands.length === 0 ? all : all.filter(({ id }) => operands.includes(String(id)));
  if (options.apply !== true) return listed(found);
  let reactivated = 0;
  for (let start = 0; start < found.length; start += batchMaxItems) {
    const memories = found
      .slice(start, start + batchMaxItems)
      .map(({ id = null }) => ({ memory_id: id, is_active: true }));
    const { updated } = await call("/v1/memories/batch", {
      method: "PUT",
      headers: { ...userAgent, "Content-Type": "application/json" },
      body: JSON.stringify({ memories }),
    });
    reactivated += Number(updated);
  }
  const refused = found.length - reactivated;
  const rest =
    refused === 0
      ? ""
      : ` ${counted(refused, "memory has", "memories have")} a content that another active memory has, and stayed inactive.`;
  const text = `${counted(reactivated, "memory is", "memories are")} active again.${rest}`;
  return { data: { reactivated, refused }, text };
}

const userAgent = { "User-Agent": `memledger-reactivate/${version}` };

async function findSuperseded(call: RepeatedCall): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let cursor: Json | undefined = null;
  do {
    const from: string = typeof cursor === "string" ? `&cursor=${cursor}` : "";
    const path = `/v1/memories?is_active=false&page_size=100${from}`;
    const page = await call(path, { method: "GET", headers: userAgent });
    const listed = Array.isArray(page.memories) ? page.memories.filter(isObject) : [];
    found.push(...listed.filter(({ superseded_by }) => typeof superseded_by === "string"));
    cursor = page.next_cursor;
  } while (typeof cursor === "string");
  return found;
}

function listed(found: readonly JsonObject[]): Report {
  const data = {
    memories: found.map(({ id = null, content = null, superseded_by = null, updated_at = null }) => ({
      id,
      content,
      superseded_by,
      updated_at,
    })),
  };
  if (found.length === 0) return { data, text: "No memory is inactive because of a newer one." };
  const rows = found.map(({ id, content, superseded_by, updated_at }) =>
    [id, content, superseded_by, updated_at].map(String),
  );
  return {
    data,
    text: `${table(["memory", "content", "superseded by", "last change"], rows)}\n\nTo make them active again, add --apply; with ids, only those.`,
  };
}
