// Owns the completion script for fish: one line for each command, option and operand, with the command at which it applies.

import { type CommandNode, everyCommand, type OptionNode, type Value } from "../command-tree.ts";

export function fishScript(tree: CommandNode): string {
  const commands = everyCommand(tree);
  const options = commands.flatMap((command) => command.options);
  const withValue = [...new Set(options.flatMap(({ names, value }) => (value === null ? [] : names)))];
  const names = commands.map(({ words }) => words.join(" ")).filter((name) => name !== "");
  return `# Completion of memledger for fish.

set -g __memledger_commands ${names.map(quote).join(" ")}
set -g __memledger_options_with_value ${withValue.join(" ")}

# Whether the command before the cursor is the one in $argv. With a second argument: and an operand of it is not given yet.
function __memledger_at
    set -l path
    set -l operands 0
    set -l is_value no
    for word in (commandline -opc)[2..-1]
        if test $is_value = yes
            set is_value no
        else if contains -- $word $__memledger_options_with_value
            set is_value yes
        else if not string match -q -- '-*' $word
            if contains -- (string join ' ' $path $word) $__memledger_commands
                set -a path $word
            else
                set operands (math $operands + 1)
            end
        end
    end
    test "$path" = "$argv[1]"; and begin
        test (count $argv) = 1; or test $operands = 0
    end
end

complete -c memledger -f
${tree.options.map((option) => optionLine(option, [])).join("\n")}
${commands.flatMap((command) => linesOf(command, tree)).join("\n")}
`;
}

function linesOf(command: CommandNode, program: CommandNode): string[] {
  const at = ["-n", quote(`__memledger_at ${quoteInner(command.words.join(" "))}`)];
  const operandAt = ["-n", quote(`__memledger_at ${quoteInner(command.words.join(" "))} operand`)];
  const own = command === program ? [] : command.options;
  return [
    ...command.commands.map(({ words, description }) =>
      line([...operandAt, "-a", quote(words.at(-1) ?? ""), "-d", quote(description)]),
    ),
    ...own.map((option) => optionLine(option, at)),
    ...command.operands.slice(0, 1).flatMap(({ value }) => {
      const offered = offer(value);
      return offered.length === 0 ? [] : [line([...operandAt, ...offered])];
    }),
  ];
}

function optionLine({ names, description, value }: OptionNode, at: readonly string[]): string {
  const flags = names.flatMap((name) =>
    name.startsWith("--") ? ["-l", name.slice(2)] : ["-s", name.slice(1)],
  );
  const offered = value === null ? [] : ["-r", ...offer(value)];
  return line([...at, ...flags, ...offered, "-d", quote(description)]);
}

/** Behind an option with a value fish completes files, unless `-f` says otherwise. */
function offer({ words, path }: Value): string[] {
  const given = words.length === 0 ? [] : ["-a", quote(words.join(" "))];
  if (path === "file") return ["-F", ...given];
  return path === "directory" ? ["-f", "-a", quote("(__fish_complete_directories)")] : ["-f", ...given];
}

function line(parts: readonly string[]): string {
  return `complete -c memledger ${parts.join(" ")}`;
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
}

function quoteInner(text: string): string {
  return `"${text}"`;
}
