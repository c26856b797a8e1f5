// Binds `memledger conversation`: the conversations from which memories were extracted, through the API, so each call is in the ledger.

import type { Command } from "commander";
import { machineUser } from "../../access/machine-user.ts";
import type { ChannelRequest } from "../../assistants/local-access/channel.ts";
import { eraseConversationOf } from "../../calls/operations/conversations/erase-of-project.ts";
import { isObject, type Json, type JsonObject, objectsIn } from "../../platform/json/json.ts";
import { counted } from "../../platform/text/plural.ts";
import { version } from "../../platform/version.ts";
import { administer } from "../access/administer.ts";
import { reasonField } from "../access/administration.ts";
import { bindWork, type Invocation, type Session } from "../command.ts";
import { confirm, requirePrompt } from "../confirmation.ts";
import { createOutputFile } from "../output-text.ts";
import { addSubjectOption, addTargetOptions, openCalls, readTarget } from "../server-target.ts";
import { list, type Report, table } from "../terminal.ts";

export function addConversationCommands(program: Command, session: Session): void {
  const conversation = program
    .command("conversation")
    .description(
      `List, show and erase the conversations from which memories were extracted. For those of hooks on this machine, add --subject ${machineUser}.`,
    );
  const add = (command: Command) => addSubjectOption(addTargetOptions(command, "refused"));
  bindWork(
    add(conversation.command("list").description("List conversations, the latest first."))
      .option("--page-size <number>", "number of conversations to show, 1 to 1000 (default: 100)")
      .option("--cursor <text>", "the cursor that the page before has printed, with the same options"),
    session,
    listed,
  );
  bindWork(
    add(
      conversation
        .command("show")
        .description("Print a conversation as it was: who said what, and the memories from it.")
        .argument("<id>", "id of the conversation"),
    ),
    session,
    shown,
  );
  bindWork(
    add(
      conversation
        .command("erase")
        .description(
          "Erase a conversation: its passages, the memories that were extracted from it, and their texts in audit records. Shows the numbers first, and asks.",
        )
        .argument("<id>", "id of the conversation"),
    )
      .option("--dry-run", "only count what would be erased")
      .option(reasonField.flags, reasonField.description)
      .option("--receipt <file>", "write the receipt of the erasure to this file (default: print it)")
      .option("--yes", "erase without a prompt"),
    session,
    erased,
  );
}

type Call = (path: string, request?: Pick<ChannelRequest, "method" | "body">) => Promise<JsonObject>;

async function openCall(invocation: Invocation): Promise<Call> {
  const call = await openCalls(invocation);
  const headers = { "User-Agent": `memledger-conversation/${version}`, "Content-Type": "application/json" };
  return (path, request = { method: "GET" }) =>
    call(`/v1/memories/conversations${path}`, { ...request, headers });
}

async function listed(invocation: Invocation): Promise<Report> {
  const { pageSize, cursor } = invocation.options;
  const query = new URLSearchParams({
    ...(typeof pageSize === "string" ? { page_size: pageSize } : {}),
    ...(typeof cursor === "string" ? { cursor } : {}),
  });
  const call = await openCall(invocation);
  const data = await call(`?${query}`);
  const rows = objectsIn(data.conversations);
  if (rows.length === 0) return { data, text: `There is no conversation.${hintOf(invocation)}` };
  const columns = ["conversation", "first_at", "last_at", "passages", "kept"];
  const cells = rows.map((row) => columns.map((name) => row[name] ?? null));
  const { next_cursor: next } = data;
  const more =
    typeof next === "string" ? `\n\nTo show older ones, repeat the command with --cursor ${next}` : "";
  return { data, text: `${table(columns, cells)}${more}` };
}

/** All pages of it. */
async function shown(invocation: Invocation): Promise<Report> {
  const call = await openCall(invocation);
  const path = pathOf(invocation);
  const said: JsonObject[] = [];
  let page = await call(`${path}?page_size=1000`);
  said.push(...objectsIn(page.said));
  while (typeof page.next_cursor === "string") {
    page = await call(`${path}?page_size=1000&cursor=${encodeURIComponent(page.next_cursor)}`);
    said.push(...objectsIn(page.said));
  }
  const data: JsonObject = { ...page, said, next_cursor: null };
  const kept = isObject(data.made) ? objectsIn(data.made.memories) : [];
  const name = String(data.conversation);
  const text = [
    ...said.map((memory) => lineOf(memory, name)),
    ...(kept.length === 0
      ? []
      : [`\nMemories from it:\n${kept.map((memory) => lineOf(memory, name)).join("\n")}`]),
  ];
  return { data, text: text.join("\n") };
}

/** As the conversation has it, not the others in which the same was said. */
function lineOf({ content = null, origins = null }: JsonObject, conversation: string): string {
  const origin = objectsIn(origins).find((each) => each.conversation === conversation) ?? {};
  const { said_at, name, role } = origin;
  const when = typeof said_at === "string" ? `[${said_at}] ` : "";
  const who = name ?? role;
  return `${when}${typeof who === "string" ? `${who}: ` : ""}${String(content)}`;
}

async function erased(invocation: Invocation): Promise<Report> {
  const { options, terminal, operands } = invocation;
  const isDryRun = options.dryRun === true;
  if (!isDryRun && options.yes !== true) requirePrompt(terminal);
  const send = await openErasure(invocation);
  const counts = await send({ dry_run: true });
  const unknown = `There is no such conversation.${hintOf(invocation)}`;
  if (isDryRun) return { data: counts, text: isNothing(counts) ? unknown : list(countsOf(counts)) };
  const { memories = 0, changed = 0, records = 0 } = counts;
  const named = `${counted(Number(memories), "memory", "memories")} and parts of ${counted(Number(records), "audit record")}`;
  const others =
    changed === 0 ? "" : ` ${counted(Number(changed), "memory", "memories")} with another origin will stay.`;
  if (options.yes !== true)
    await confirm({
      warning: `This permanently erases ${named}.${others}`,
      word: operands[0] ?? "",
      wordDescription: "the id of the conversation",
    });
  const receipt = typeof options.receipt === "string" ? options.receipt : null;
  const rules = { mayReplace: false, dataDir: invocation.config.dataDir };
  // Before anything is erased: a path that cannot be written must not cost the receipt.
  const output = receipt === null ? null : createOutputFile(receipt, rules);
  const reason = typeof options.reason === "string" ? { reason: options.reason } : {};
  const data = await send(reason).catch((error: unknown) => {
    output?.discard();
    throw error;
  });
  await output?.write(`${JSON.stringify(data.receipt ?? null)}\n`);
  await output?.finish();
  return {
    data,
    text:
      data.erased === true ? `${list(countsOf(data))}${receipt === null ? receiptOf(data) : ""}` : unknown,
  };
}

/** No other call returns it again. */
function receiptOf({ receipt = null }: JsonObject): string {
  return `\n\nThe receipt, with which a restore of an older backup repeats the erasure. Save it outside of the data directory:\n\n${JSON.stringify(receipt)}`;
}

/** Where else a conversation can be. */
function hintOf({ options: { subject, url } }: Invocation): string {
  return subject === undefined && url === undefined ? ` Those of hooks have --subject ${machineUser}.` : "";
}

/** On this machine a person who administers the server needs no key that may erase. */
async function openErasure(invocation: Invocation): Promise<(body: JsonObject) => Promise<JsonObject>> {
  const target = readTarget(invocation, process.cwd());
  const [conversation = ""] = invocation.operands;
  if ("project" in target)
    return async (body) => {
      const { project, subject } = target;
      const input = { project, conversation, ...(subject === null ? {} : { subject }), ...body };
      const data = await administer(invocation.config, eraseConversationOf, input, {
        conversation: "The id",
      });
      return isObject(data) ? data : {};
    };
  const call = await openCall(invocation);
  const path = `${pathOf(invocation)}/erase`;
  return (body) => call(path, { method: "POST", body: JSON.stringify(body) });
}

function countsOf(data: JsonObject): Record<string, Json> {
  const names = ["memories", "changed", "checks", "records", "exports"];
  return Object.fromEntries(names.map((name) => [name, data[name] ?? 0]));
}

function isNothing(data: JsonObject): boolean {
  return Object.values(countsOf(data)).every((count) => count === 0);
}

function pathOf({ operands: [id = ""] }: Invocation): string {
  return `/${encodeURIComponent(id)}`;
}
