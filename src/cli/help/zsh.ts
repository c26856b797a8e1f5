// Owns the completion script for zsh: a function for each command, which calls `_arguments` of zsh's own completion system.

import { type CommandNode, everyCommand, type OptionNode, optionsOf, type Value } from "../command-tree.ts";

export function zshScript(tree: CommandNode): string {
  const functions = everyCommand(tree).map((command) => functionOf(command, tree));
  return `#compdef memledger
# Completion of memledger for zsh.

${functions.join("\n")}
# As a file in a folder of fpath this is the body of the function, otherwise a script that is read.
if [[ \${funcstack[1]} == _memledger ]]; then
  _memledger "$@"
else
  compdef _memledger memledger
fi
`;
}

function functionOf(command: CommandNode, program: CommandNode): string {
  const specifications = optionsOf(command, program).flatMap(optionSpecifications);
  const name = functionName(command);
  return command.commands.length === 0
    ? `${name}() {
  _arguments ${lines([...specifications, ...operandSpecifications(command)])}
}
`
    : `${name}() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C ${lines([...specifications, "'1: :->command'", "'*:: :->argument'"])}
  case $state in
  command)
    local -a commands=(
${command.commands.map((each) => `      ${quote(described(nameOf(each), each.description))}`).join("\n")}
    )
    _describe -t commands command commands
${operandLines(command)}    ;;
  argument)
    case $line[1] in
${command.commands.map((each) => `    ${nameOf(each)}) ${functionName(each)} ;;`).join("\n")}
    esac
    ;;
  esac
}
`;
}

/** Of a command that has commands below it and an operand of its own. */
function operandLines({ operands }: CommandNode): string {
  const paths = operands.flatMap(({ value: { path } }) => (path === null ? [] : [path]));
  return paths.map((path) => `    _files${path === "directory" ? " -/" : ""}\n`).join("");
}

function nameOf({ words }: CommandNode): string {
  return words.at(-1) ?? "";
}

function functionName({ words }: CommandNode): string {
  return ["_memledger", ...words].join("_");
}

function lines(specifications: readonly string[]): string {
  return specifications.map((each) => `\\\n    ${each}`).join(" ");
}

function optionSpecifications({ names, description, isRepeatable, value }: OptionNode): string[] {
  const exclusion = isRepeatable ? "*" : `(${names.join(" ")})`;
  return names.map((name) => {
    const text = `[${escapeIn(description, "[]:")}]`;
    const argument = value === null ? "" : `: :${actionOf(value)}`;
    return quote(
      `${exclusion}${name}${value !== null && name.startsWith("--") ? "=" : ""}${text}${argument}`,
    );
  });
}

function operandSpecifications({ operands }: CommandNode): string[] {
  return operands.map(({ name, isRequired, value }) =>
    quote(`${isRequired ? ":" : "::"}${escapeIn(name, ":")}:${actionOf(value)}`),
  );
}

/** A space completes nothing, but shows that a value is expected. */
function actionOf({ words, path }: Value): string {
  if (path === "file") return "_files";
  if (path === "directory") return "_files -/";
  return words.length === 0 ? " " : `(${words.join(" ")})`;
}

function described(name: string, description: string): string {
  return `${escapeIn(name, ":")}:${description}`;
}

function escapeIn(text: string, characters: string): string {
  return [...text].map((each) => (`${characters}\\`.includes(each) ? `\\${each}` : each)).join("");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
