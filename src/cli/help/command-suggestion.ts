// Owns which command is suggested for an unknown one: a similar name, a command of that name in a group, or what other programs of the
// field call it, also if that is misspelt.

import type { Command } from "commander";
import { suggest } from "../../platform/text/suggestion.ts";

/** Words that other servers and command lines use, by the command that does this here. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  serve: ["start", "run", "up", "server", "launch", "daemon", "listen", "restart"],
  stop: ["kill", "shutdown", "halt", "quit", "down", "end"],
  health: ["status", "ping", "ready", "alive", "info", "state"],
  doctor: ["check", "diagnose", "fsck", "repair", "fix", "test"],
  console: ["ui", "web", "gui", "dashboard", "open", "login", "signin", "admin", "browser"],
  connect: ["install", "setup", "init", "link", "integrate", "configure", "assistant", "assistants"],
  config: ["settings", "configuration", "env", "conf"],
  key: ["keys", "token", "tokens", "apikey", "credentials", "user", "users"],
  project: ["projects", "tenant", "tenants", "workspace", "workspaces", "namespace"],
  memory: ["memories", "remember", "store", "facts"],
  audit: ["log", "logs", "ledger", "history", "journal", "records"],
  backup: ["dump", "snapshot", "save"],
  restore: ["recover", "load", "undo"],
  reembed: ["reindex", "model", "embed", "migrate"],
  hook: ["hooks"],
  create: ["add", "new", "make"],
  list: ["ls", "all"],
  show: ["get", "view", "describe", "cat"],
  update: ["edit", "set", "change", "modify"],
  delete: ["rm", "remove", "del", "drop", "destroy"],
  revoke: ["rm", "remove", "delete", "disable"],
  print: ["show", "list", "get", "view"],
};

/** @param command that has no command named `word` @returns what to write instead, such as `memledger memory import`; null: nothing fits */
export function suggestCommand(command: Command, word: string): string | null {
  const below = command.commands.map((each) => each.name());
  const named = otherName(below, word) ?? suggest(word, below);
  if (named !== null) return lineOf(command, named);
  const groups = command.commands.filter((each) => each.commands.some((inner) => inner.name() === word));
  const [group] = groups;
  if (group !== undefined) return lineOf(group, word);
  const similar = similarOtherName(below, word);
  return similar === null ? null : lineOf(command, similar);
}

function otherName(names: readonly string[], word: string): string | null {
  return names.find((name) => otherWords[name]?.includes(word.toLowerCase())) ?? null;
}

function similarOtherName(names: readonly string[], word: string): string | null {
  const known = names.flatMap((name) => otherWords[name] ?? []);
  return otherName(names, suggest(word, known) ?? "");
}

function lineOf(command: Command, name: string): string {
  const words = [name];
  for (let each: Command | null = command; each !== null; each = each.parent) words.unshift(each.name());
  return words.join(" ");
}
