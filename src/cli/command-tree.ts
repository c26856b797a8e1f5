// Owns what the command line consists of, as plain data: commands, options, operands, and what their values are. Completion scripts and
// the manual page are made from it. Must never list a command or an option itself: all of it is read from commander.

import type { Argument, Command, Option } from "commander";

export interface CommandNode {
  /** Behind the name of the program: `["key", "create"]`; empty for the program itself. */
  readonly words: readonly string[];
  /** `memledger key create [options]` */
  readonly usage: string;
  readonly description: string;
  /** Those of every command are in the program's own list only. */
  readonly options: readonly OptionNode[];
  readonly operands: readonly OperandNode[];
  readonly commands: readonly CommandNode[];
}

export interface OptionNode {
  /** `-h, --help` or `--plan <free|basic>` */
  readonly flags: string;
  /** `["-h", "--help"]` */
  readonly names: readonly string[];
  readonly description: string;
  readonly isRepeatable: boolean;
  /** Null: the option has no value. */
  readonly value: Value | null;
}

export interface OperandNode {
  /** Of the value, in the help: `id|name` */
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly value: Value;
}

export interface Value {
  /** The words that the value can be; other values may be possible, too. */
  readonly words: readonly string[];
  readonly path: "file" | "directory" | null;
}

/** Parts of a placeholder that describe a value; every other part between two `|` is a word to write as it is. */
const paths: Readonly<Record<string, Value["path"]>> = {
  file: "file",
  path: "file",
  dir: "directory",
  directory: "directory",
};
const described: readonly string[] = [
  "id",
  "list",
  "name",
  "number",
  "text",
  "time",
  "url",
  ...Object.keys(paths),
];

/** @param program with all commands */
export function treeOf(program: Command): CommandNode {
  return nodeOf(program, []);
}

/** The command itself and all below it, each before those below it. */
export function everyCommand(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.commands.flatMap(everyCommand)];
}

/** Whether the command does something itself; otherwise a command below it must be named. */
export function isPerformed({ commands, operands }: CommandNode): boolean {
  return commands.length === 0 || operands.length > 0;
}

/** What a command accepts: its own options, and those of the program, which can be anywhere. */
export function optionsOf(command: CommandNode, program: CommandNode): readonly OptionNode[] {
  if (command === program) return command.options;
  const own = command.options.flatMap(({ names }) => names);
  const others = program.options.filter(({ names }) => !names.some((name) => own.includes(name)));
  return [...command.options, ...others];
}

function nodeOf(command: Command, words: readonly string[]): CommandNode {
  const help = command.createHelp();
  const below = help.visibleCommands(command).map((each) => nodeOf(each, [...words, each.name()]));
  return {
    words,
    usage: help.commandUsage(command),
    description: help.commandDescription(command),
    options: help.visibleOptions(command).map(optionNode),
    operands: command.registeredArguments.map(operandNode),
    commands: below.map((node) => (isHelp(node, words) ? withCommandNames(node, below) : node)),
  };
}

function isHelp({ words }: CommandNode, parent: readonly string[]): boolean {
  return words.length === parent.length + 1 && words.at(-1) === "help";
}

/** The operand of `help` is the name of a command beside it. */
function withCommandNames(node: CommandNode, siblings: readonly CommandNode[]): CommandNode {
  const words = siblings.flatMap((sibling) => sibling.words.slice(-1)).filter((name) => name !== "help");
  return {
    ...node,
    operands: node.operands.map((operand) => ({ ...operand, value: { words, path: null } })),
  };
}

function optionNode(option: Option): OptionNode {
  const { flags, short, long, description, defaultValue, required, optional, variadic } = option;
  const [, placeholder = ""] = /[<[](.*)[>\]]/.exec(flags) ?? [];
  return {
    flags,
    names: [short, long].filter((name) => name !== undefined),
    description,
    isRepeatable: variadic || Array.isArray(defaultValue),
    value: required || optional ? readValue(placeholder, option.argChoices) : null,
  };
}

function operandNode(argument: Argument): OperandNode {
  const { description, required: isRequired, argChoices } = argument;
  const name = argument.name();
  return { name, description, isRequired, value: readValue(name, argChoices) };
}

function readValue(placeholder: string, choices: readonly string[] | undefined): Value {
  const parts = placeholder.replace(/\.\.\.$/, "").split("|");
  const words = parts.length === 1 ? [] : parts.filter((part) => !described.includes(part));
  const path = parts.map((part) => paths[part]).find((found) => found !== undefined);
  return { words: choices ?? words, path: path ?? null };
}
