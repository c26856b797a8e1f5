// Owns the manual page, as roff with the macros of man(7): from the commands, the settings, the files and the exit codes of the program.
// Has no date, so that two builds of one commit have the same page.

import { version } from "../../platform/version.ts";
import { generalSettings, variableOf } from "../../server/config/settings.ts";
import { contents } from "../../server/data-directory/contents.ts";
import {
  type CommandNode,
  everyCommand,
  isPerformed,
  type OperandNode,
  type OptionNode,
} from "../command-tree.ts";
import { exitCodeMeanings, exitCodes } from "../exit-codes.ts";

export function manualPage(tree: CommandNode): string {
  const commands = everyCommand(tree).filter((each) => isPerformed(each) && each.words.at(-1) !== "help");
  return `${[
    `.TH MEMLEDGER 1 "" ${quote(`memledger ${version}`)} "User Commands"`,
    // Options and commands are copied from the page, so no word may be divided and no line filled to both margins.
    ".nh",
    ".ad l",
    ...section("NAME", ["memledger \\- AI memory with a tamper\\-evident audit ledger"]),
    ...section("SYNOPSIS", [".B memledger", "[options]", ".I command", "[arguments]"]),
    ...section(
      "DESCRIPTION",
      description.flatMap((paragraph, at) => [...(at === 0 ? [] : [".PP"]), text(paragraph)]),
    ),
    ...section("COMMANDS", commands.flatMap(commandLines)),
    ...section("OPTIONS OF EVERY COMMAND", tree.options.flatMap(optionLines)),
    ...section("ENVIRONMENT", [text(environment), ...generalSettings.flatMap(variableLines)]),
    ...section("FILES", [text(files), ...contents.flatMap(fileLines)]),
    ...section("EXIT STATUS", exitLines()),
    ...section("EXAMPLES", examples.flatMap(exampleLines)),
    ...section("SEE ALSO", [text(seeAlso)]),
  ].join("\n")}\n`;
}

const description = [
  "memledger stores what the assistants, agents and scripts of a project share: rules, facts and contexts. Search works by meaning and by keywords. Each call appends a record to a hash-chained audit ledger, in the same transaction as the change.",
  "The program is one executable. It needs no other service and no network. Everything is stored in the data directory.",
];
const environment =
  "Each setting can be given as an option of memledger serve, as a variable, or in memledger.toml, where its name is that of the option without the dashes. An option overrides a variable; a variable overrides the file. An unknown name is an error. A secret can also be in a file, which the variable with _FILE at its end names, such as MEMLEDGER_LLM_API_KEY_FILE. Programs that call a server elsewhere read its API key from MEMLEDGER_API_KEY.";
const files = "In the data directory:";
const seeAlso =
  "memledger docs lists the pages of the handbook and prints them. A running server shows the reference of its HTTP API at /docs, and the handbook at /docs/handbook.";
const examples: readonly (readonly [command: string, effect: string])[] = [
  ["memledger serve", "Starts the server. The first start creates an API key."],
  ["memledger key create --project default --permissions memory.read", "Creates a key that can only read."],
  [
    "memledger audit verify --checkpoint kept.note",
    "Verifies the ledger with a checkpoint that was kept elsewhere.",
  ],
  ["memledger doctor", "Checks the data directory."],
];

function commandLines({ usage, description: what, operands, options }: CommandNode): string[] {
  const own = options.filter(({ names }) => !names.includes("--help"));
  return [
    `.SS ${quote(usage)}`,
    text(what),
    ...operands.filter((operand) => operand.description !== "").flatMap(operandLines),
    ...own.flatMap(optionLines),
  ];
}

function operandLines({ name, description: what, value }: OperandNode): string[] {
  return [".TP", `.I ${quote(name)}`, text(`${what}${choicesOf(value.words, name)}`)];
}

function optionLines({ flags, description: what, value }: OptionNode): string[] {
  return [".TP", `.B ${quote(flags)}`, text(`${what}${choicesOf(value?.words ?? [], flags)}`)];
}

/** Words that the placeholder does not show. */
function choicesOf(words: readonly string[], shown: string): string {
  const hidden = words.filter((word) => !shown.includes(word));
  return hidden.length === 0 ? "" : ` (one of ${words.join(", ")})`;
}

function variableLines(setting: (typeof generalSettings)[number]): string[] {
  const { description: what, default: value } = setting;
  const fallback = value === null || String(value) === "" ? "" : ` (default: ${String(value)})`;
  return [".TP", `.B ${quote(variableOf(setting))}`, text(`${what}${fallback}`)];
}

function fileLines({ names, description: what }: (typeof contents)[number]): string[] {
  return [".TP", `.I ${quote(names.join(", "))}`, text(what)];
}

function exitLines(): string[] {
  const names = Object.keys(exitCodes).filter((name): name is keyof typeof exitCodes => name in exitCodes);
  return names.flatMap((name) => [".TP", `.B ${exitCodes[name]}`, text(exitCodeMeanings[name])]);
}

function exampleLines([command, effect]: readonly [string, string]): string[] {
  return [".TP", `.B ${quote(command)}`, text(effect)];
}

function section(title: string, lines: readonly string[]): string[] {
  return [`.SH ${quote(title)}`, ...lines];
}

const lineMaxCharacters = 80;

/** Lines of text. A dot or an apostrophe at the beginning of a line would make it a request. */
function text(plain: string): string {
  const lines: string[] = [];
  for (const word of toRoff(plain).split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= lineMaxCharacters) lines[lines.length - 1] = longer;
    else lines.push(/^[.']/.test(word) ? `\\&${word}` : word);
  }
  return lines.join("\n");
}

/** One argument of a macro. */
function quote(plain: string): string {
  return `"${toRoff(plain).replaceAll('"', "\\(dq")}"`;
}

/** The hyphen of roff is another character than the one in options. */
function toRoff(plain: string): string {
  return plain
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replaceAll("^", "\\(ha")
    .replaceAll("~", "\\(ti")
    .replaceAll("`", "\\(ga");
}
