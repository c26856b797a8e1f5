// Binds `memledger memory reactivate`: memories that a newer one has superseded, listed, and with --apply active again. Through the API, so
// each change is in the ledger.

import type { Command } from "commander";
import { isObject, type JsonObject } from "../json/json.ts";
import { createRepeatedCall, type RepeatedCall, waitingNotice } from "../local-access/repeated-call.ts";
import { batchMaxItems } from "../memory/limits.ts";
import { counted } from "../text/plural.ts";
import { version } from "../version.ts";
import { bindWork, type Invocation, type Session } from "./command.ts";
import { addTargetOptions, openTarget, readTarget } from "./server-target.ts";
import { type Report, table } from "./terminal.ts";

export function addMemoryReactivateCommand(memory: Command, session: Session): void {
  const command = memory
    .command("reactivate")
    .description(
      "List the inactive memories that a newer one has superseded, with that one: those that a rule of a former version took for superseded, and those that somebody has replaced by accepting a suggestion, or a language model at once.",
    );
  addTargetOptions(command, "refused").option("--apply", "make them active again");
  bindWork(command, session, run);
}

async function run(invocation: Invocation): Promise<Report> {
  const { options, terminal } = invocation;
  const channel = openTarget(readTarget(invocation, process.cwd()), invocation);
  const onWait = (reason: string) => terminal.writeError(waitingNotice(reason));
  const call = createRepeatedCall({ channel, onWait });
  const found = await findSuperseded(call);
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
  for (let page = 1; ; page += 1) {
    const path = `/v1/memories?is_active=false&page_size=100&page=${page}`;
    const { memories } = await call(path, { method: "GET", headers: userAgent });
    const listed = Array.isArray(memories) ? memories.filter(isObject) : [];
    found.push(...listed.filter(({ superseded_by }) => typeof superseded_by === "string"));
    if (listed.length === 0) return found;
  }
}

function listed(found: readonly JsonObject[]): Report {
  const data = {
    memories: found.map(({ id = null, content = null, superseded_by = null }) => ({
      id,
      content,
      superseded_by,
    })),
  };
  if (found.length === 0) return { data, text: "No memory is inactive because of a newer one." };
  const rows = found.map(({ id, content, superseded_by }) => [
    String(id),
    String(content),
    String(superseded_by),
  ]);
  return {
    data,
    text: `${table(["memory", "content", "superseded by"], rows)}\n\nTo make them active again, add --apply.`,
  };
}
