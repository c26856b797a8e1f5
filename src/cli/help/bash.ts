// Owns the completion script for bash, 3.2 or later, which is the one of macOS. It needs no other script.

import { type CommandNode, everyCommand, optionsOf, type Value } from "../command-tree.ts";

export function bashScript(tree: CommandNode): string {
  const commands = everyCommand(tree);
  return `# Completion of memledger for bash.

# Sets what may follow a command: the commands below it, its options, and the words or paths of its operand.
_memledger_command() {
  commands="" options="" words="" paths=""
  case "$1" in
${commands.map((command) => commandCase(command, tree)).join("\n")}
  *) return 1 ;;
  esac
}

# Sets the words or paths of the value of an option. Fails if the option has no value.
_memledger_value() {
  words="" paths=""
  case "$1 $2" in
${valueCases(commands, tree).join("\n")}
  *) return 1 ;;
  esac
}

_memledger() {
  local IFS=$' \\t\\n' current="\${COMP_WORDS[COMP_CWORD]}" command="" commands options words paths word i
  local is_value="" only_operands="" has_operand=""
  # Bash divides --option=value into three words.
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -z $only_operands && $word == -- ]]; then
      only_operands=yes
    elif [[ -z $only_operands && $word == -* ]]; then
      _memledger_value "$command" "$word" || continue
      if [[ \${COMP_WORDS[i + 1]} == = ]]; then ((i++)); fi
      if ((i + 1 >= COMP_CWORD)); then is_value=yes; fi
      ((i++))
    elif [[ -z $only_operands ]] && _memledger_command "\${command:+$command }$word"; then
      command="\${command:+$command }$word"
    else
      has_operand=yes
    fi
  done
  if [[ $current == = ]]; then current=""; fi
  if [[ -z $is_value ]]; then
    _memledger_command "$command"
    if [[ -z $only_operands && $current == -* ]]; then
      words="$options" paths=""
    elif [[ -n $has_operand ]]; then
      words="" paths=""
    else
      words="$words $commands"
    fi
  fi
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    compgen -W "$words" -- "$current"
    case $paths in
    file) compgen -f -- "$current" ;;
    directory) compgen -d -- "$current" ;;
    esac
  )
  if [[ -n $paths ]]; then compopt -o filenames 2>/dev/null; fi
}

complete -F _memledger memledger
`;
}

function commandCase(command: CommandNode, program: CommandNode): string {
  const below = command.commands.flatMap(({ words }) => words.slice(-1));
  const options = optionsOf(command, program).flatMap(({ names }) => names);
  const [operand] = command.operands;
  const assignments = [
    assignment("commands", below.join(" ")),
    assignment("options", options.join(" ")),
    ...(operand === undefined ? [] : valueAssignments(operand.value)),
  ].filter((each) => each !== "");
  return `  ${quote(command.words.join(" "))}) ${assignments.join(" ")} ;;`;
}

/** One case for all options that have the same value. Options of the program come last, because they are the same in every command. */
function valueCases(commands: readonly CommandNode[], program: CommandNode): string[] {
  const own = commands.filter((command) => command !== program);
  const options = [
    ...own.flatMap((command) =>
      command.options.map((option) => ({ at: quote(command.words.join(" ")), option })),
    ),
    ...program.options.map((option) => ({ at: "*", option })),
  ];
  const patterns = new Map<string, string[]>();
  for (const { at, option } of options) {
    if (option.value === null) continue;
    const assignments = valueAssignments(option.value).join(" ") || ":";
    const known = patterns.get(assignments) ?? [];
    known.push(...option.names.map((name) => `${at}" ${name}"`));
    patterns.set(assignments, known);
  }
  return [...patterns].map(([assignments, cases]) => `  ${cases.join(" | ")}) ${assignments} ;;`);
}

function valueAssignments({ words, path }: Value): string[] {
  return [assignment("words", words.join(" ")), assignment("paths", path ?? "")].filter(
    (each) => each !== "",
  );
}

function assignment(name: string, text: string): string {
  return text === "" ? "" : `${name}=${quote(text)}`;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["$`\\]/g, "\\$&")}"`;
}
