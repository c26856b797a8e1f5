// Owns which command lines are recorded, in their order. Must never say what they print.

export interface CommandRun {
  /** By the words of its help. */
  readonly command: string;
  readonly title: string;
  /** {home} and what runs before have kept are filled in. */
  readonly words: readonly string[];
  readonly input?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Names of values of the JSON on stdout, by their fields. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** @param line words of the command, then its options */
const runs = (command: string, title: string, line = "", more: Partial<CommandRun> = {}): CommandRun => ({
  command,
  title,
  words: [...command.split(" "), ...(line === "" ? [] : line.split(" "))],
  ...more,
});

const lines = (...messages: readonly object[]) =>
  messages.map((each) => `${JSON.stringify(each)}\n`).join("");
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const id = "0".repeat(32);
const event = (fields: object) => JSON.stringify({ session_id: "s1", cwd: "/work", ...fields });

/** Before there is a database. */
export const withoutServer: readonly CommandRun[] = [
  runs("version", "performed"),
  runs("config print", "performed"),
  runs("config print", "as JSON", "--json"),
  runs("config print", "a value that is not valid", "--port many"),
  runs("config print", "a variable that is not valid", "", { variables: { MEMLEDGER_PORT: "many" } }),
  ...["bash", "zsh", "fish"].map((shell) => runs("completion", shell, shell)),
  runs("completion", "an unknown shell", "csh"),
  runs("man", "performed"),
  runs("docs", "performed"),
  runs("docs", "an unknown page", "nothing"),
  runs("health", "no server"),
  runs("stop", "no server"),
  runs("serve", "a value that is not valid", "--port many"),
  runs("witness", "without a log"),
  runs("witness", "a log that is no key", "--log audit.pub"),
  runs("project list", "no database"),
  runs("doctor", "no database"),
  runs("audit verify", "no database"),
  runs("reembed", "no database"),
  runs("backup", "no database", "{home}/none.backup"),
];

export const withServer: readonly CommandRun[] = [
  runs("health", "performed"),
  runs("serve", "a data directory in use", "--port 0"),
  runs("project create", "performed", "--name shop --plan pro --json", { keep: { shop: "id" } }),
  runs("project create", "a name that is taken", "--name shop"),
  runs("project list", "performed"),
  runs("project list", "as JSON", "--json"),
  runs("project show", "performed", "shop"),
  runs("project show", "an unknown project", "none"),
  runs("project update", "performed", "shop --memory-limit 100"),
  runs("project update", "nothing to change", "shop"),
  runs("project update", "without a confirmation", "shop --retention-days 1"),
  runs(
    "key create",
    "performed",
    "--project shop --permissions memory.read,memory.write --name first --json",
    { keep: { key: "id", token: "key" } },
  ),
  runs("key create", "as text", "--project shop --permissions memory.read"),
  runs("key create", "an unknown permission", "--project shop --permissions memory.see"),
  runs("key list", "performed", "--project shop"),
  runs("key list", "an unknown project", "--project none"),
  runs("key update", "performed", "{key} --gateway-memory off"),
  runs("key update", "an unknown key", `${id} --gateway-memory off`),
  runs("key revoke", "performed", "{key}"),
  runs("key revoke", "an unknown key", id),
  runs("admin-key create", "performed", "--name server --json", { keep: { administration: "id" } }),
  runs("admin-key create", "a time that is not valid", "--name server --expires soon"),
  runs("admin-key list", "performed"),
  runs("admin-key revoke", "performed", "{administration}"),
  runs("admin-key revoke", "an unknown key", id),
  runs("memory import", "one that is not valid", "--project shop {home}/memories.jsonl"),
  runs("memory import", "a document", "--project shop {home}/notes.md --json"),
  runs("memory import", "only checked", "--project shop {home}/notes.md --dry-run"),
  runs("memory import", "a file that does not exist", "--project shop {home}/none"),
  runs("memory export", "performed", "--project shop --out -"),
  runs("memory export", "an unknown project", "--project none --out -"),
  runs("memory reactivate", "performed", "--project shop"),
  runs("memory reactivate", "an unknown memory", `--project shop ${id}`),
  runs("conversation list", "performed", "--project default"),
  runs("conversation show", "performed", "--project default chat-17"),
  runs("conversation erase", "counted only", "--project default chat-17 --dry-run"),
  runs("conversation erase", "performed", "--project default chat-17 --yes --receipt {home}/receipt.json"),
  runs("audit verify-receipt", "of an erasure", "{home}/receipt.json --public-key {home}/data/audit.pub"),
  runs("conversation show", "an unknown conversation", "--project shop chat-17"),
  runs("conversation erase", "an unknown conversation", "--project shop chat-17 --yes"),
  runs("suggestion list", "performed", "--project default"),
  runs("suggestion accept", "performed", "--project default {tea}"),
  runs("suggestion refuse", "performed", "--project default {lunch}"),
  runs("suggestion accept", "an unknown suggestion", `--project shop ${id}`),
  runs("suggestion refuse", "an unknown suggestion", `--project shop ${id}`),
  runs("hook session-start", "performed", "--project shop --client claude-code --deadline-ms 60000", {
    input: event({ hook_event_name: "SessionStart", source: "startup" }),
  }),
  runs("hook session-start", "no event", "--project shop", { input: "{" }),
  runs("hook user-prompt", "performed", "--project shop --client claude-code --deadline-ms 60000", {
    input: event({ hook_event_name: "UserPromptSubmit", prompt: "When do we release?" }),
  }),
  runs("hook session-end", "no transcript", "--project shop --client claude-code --deadline-ms 60000", {
    input: event({ hook_event_name: "SessionEnd", reason: "other" }),
  }),
  runs("mcp", "performed", "--project shop", {
    input: lines(initialize, { jsonrpc: "2.0", id: 2, method: "ping" }),
  }),
  runs("mcp", "an address that is none", "--url nowhere"),
  runs("connect", "what belongs into a configuration", "claude-code --project shop"),
  runs("connect", "the list", "--list"),
  runs("connect", "performed", "cursor --project shop --write"),
  runs("connect", "removed", "cursor --remove"),
  runs("connect", "an unknown assistant", "nobody"),
  runs("console", "performed", "--no-open"),
  runs("console sessions", "performed"),
  runs("console revoke", "all", "--all"),
  runs("console revoke", "an unknown session", id),
  runs("stop", "a server with a port"),
  runs("audit list", "of a project", "--project shop --action memory.create"),
  runs("audit list", "of the installation, as JSON", "--page-size 1 --json", {
    keep: { record: "logs.0.id" },
  }),
  runs("audit show", "performed", "{record}"),
  runs("audit receipt", "performed", "{record} --out {home}/record.tlog-proof"),
  runs("audit receipt", "a file that exists", "{record} --out {home}/record.tlog-proof"),
  runs("audit receipt", "an unknown record", id),
  runs("audit verify-receipt", "of a record", "{home}/record.tlog-proof --public-key {home}/data/audit.pub"),
  runs(
    "audit report",
    "performed",
    "--project shop --from 2001-01-01 --to 2099-01-01 --out {home}/report.html",
  ),
  runs(
    "audit report",
    "a file that exists",
    "--project shop --from 2001-01-01 --to 2099-01-01 --out {home}/report.html",
  ),
  runs("audit verify-report", "performed", "{home}/report.html --public-key {home}/data/audit.pub"),
  runs(
    "audit verify-report",
    "a file that is none",
    "{home}/not-a-backup --public-key {home}/data/audit.pub",
  ),
  runs("audit list", "an unknown action", "--action memory.see --status 9xx"),
  runs("audit show", "an unknown record", id),
  runs("audit trace", "an unknown memory", `--memory ${id}`),
  runs("audit redact", "an unknown memory", `--memory ${id} --yes`),
  runs("audit redact", "without a confirmation", `--memory ${id}`),
  runs(
    "audit export",
    "performed",
    "--project shop --from 2001-01-01 --to 2099-01-01 --action memory.create --out {home}/records.csv",
  ),
  runs(
    "audit export",
    "as JSON",
    "--project {project} --from 2001-01-01 --to 2099-01-01 --out {home}/all.json --format json --json",
  ),
  runs(
    "audit export",
    "a file that exists",
    "--project {project} --from 2001-01-01 --to 2099-01-01 --out {home}/all.json",
  ),
  runs("audit checkpoint", "performed", "--project shop --out {home}/checkpoints"),
  runs("audit checkpoint", "an unknown project", "--project none"),
  runs("audit timestamp-request", "an unknown project", "--project none --out {home}/none.tsq"),
  runs("audit timestamp-add", "a file that is none", "{home}/not-a-backup"),
  runs("audit prune", "performed"),
  runs("audit accept", "nothing to accept", "--yes"),
  runs("audit verify", "beside a server"),
  runs("audit verify", "an export", "{home}/all.json"),
  runs("audit verify", "a checkpoint", "--project shop --checkpoint {home}/checkpoints"),
  runs("audit rotate-key", "beside a server", "--yes"),
  runs("audit verifier", "performed", "--out {home}/verifier.html"),
  runs("audit verifier", "a file that exists", "--out {home}/verifier.html"),
  runs("audit verify-receipt", "a file that does not exist", "{home}/none"),
  runs("audit verify-receipt", "a file that is none", "{home}/not-a-backup"),
  runs("backup", "performed", "{home}/first.backup"),
  runs("backup", "a file that exists", "{home}/first.backup"),
  runs("reembed", "the model in use"),
  runs("project delete", "without a confirmation", "shop"),
  runs("project delete", "performed", "shop --yes"),
];

/** When it has stopped. */
export const afterServer: readonly CommandRun[] = [
  runs("project list", "without a server"),
  runs("backup verify", "performed", "{home}/first.backup"),
  runs("backup verify", "a file that is none", "{home}/not-a-backup"),
  runs("restore", "performed", "{home}/first.backup --data-dir {home}/restored"),
  runs("restore", "a folder that is not empty", "{home}/first.backup --data-dir {home}/restored"),
  runs("restore", "a file that is none", "{home}/not-a-backup --data-dir {home}/empty"),
  runs("doctor", "performed"),
  runs("doctor", "as JSON", "--json"),
  runs("doctor", "repairs", "--fix"),
  runs("audit rotate-key", "performed", "--yes --log-level warn"),
  runs("audit verify", "without a server"),
  runs("audit verify", "as JSON", "--json"),
  runs("audit verify", "no ledger", "{home}/not-a-backup"),
];
