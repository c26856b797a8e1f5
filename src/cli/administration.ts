// Binds a command to an operation of the installation: flags become fields, the answer becomes a report. Adds no rule.

import { type Command, InvalidArgumentError, Option } from "commander";
import type { InstallationOperation } from "../calls/operation.ts";
import type { Config } from "../config/config.ts";
import { isObject, type Json, type JsonObject } from "../json/json.ts";
import { administer } from "./administer.ts";
import { attributeOf, bindWork, type Session } from "./command.ts";
import { type Confirmation, confirm, requirePerson } from "./confirmation.ts";
import { list } from "./terminal.ts";

export interface Field {
  /** `--credits <number|unlimited>`; without a value, such as `--delete-memory`, it stands for true. */
  readonly flags: string;
  /** Name of the operation's input field. */
  readonly field: string;
  readonly description: string;
  readonly isRequired?: boolean;
  /** What the text stands for; without it the text itself. @throws InvalidArgumentError */
  readonly read?: (text: string, flags: string) => Json;
}

export interface AdministrationCommand {
  readonly name: string;
  readonly operation: InstallationOperation;
  /** A value without a flag: `show` is how the usage calls it. */
  readonly operand?: { readonly show: string; readonly field: string };
  readonly fields?: readonly Field[];
  /** What can be said about the input before a person is asked anything. @throws InvalidArgumentError */
  readonly check?: (input: JsonObject) => void;
  readonly toText?: (data: Json) => string;
  /** What a person must confirm before it is done, null when nothing; adds --yes. */
  readonly confirmation?: (config: Config, input: JsonObject) => Promise<Confirmation | null>;
  /** Whether only some inputs need the confirmation, so that a person is required only for these. */
  readonly isConfirmedSometimes?: boolean;
}

export function bindOperation(parent: Command, session: Session, bound: AdministrationCommand): void {
  const {
    operation,
    operand,
    fields = [],
    toText = describe,
    confirmation,
    isConfirmedSometimes = false,
  } = bound;
  const command = parent.command(bound.name).description(operation.description);
  if (operand !== undefined) command.argument(`<${operand.show}>`);
  for (const { flags, description, isRequired = false } of fields) {
    command.addOption(new Option(flags, description).makeOptionMandatory(isRequired));
  }
  if (confirmation !== undefined) command.option("--yes", "do it without asking for a confirmation");
  bindWork(command, session, async ({ config, options, operands, terminal }) => {
    const input: Record<string, Json> = {};
    if (operand !== undefined) input[operand.field] = operands[0] ?? "";
    for (const { flags, field, read = (text: string): Json => text } of fields) {
      const text = options[attributeOf(flags)];
      if (typeof text === "string") input[field] = read(text, flags);
      if (text === true) input[field] = true;
    }
    bound.check?.(input);
    const mustAsk = confirmation !== undefined && options.yes !== true;
    if (mustAsk && !isConfirmedSometimes) requirePerson(terminal);
    const question = mustAsk ? await confirmation(config, input) : null;
    if (question !== null) {
      requirePerson(terminal, question);
      await confirm(question);
    }
    const data = await administer(config, operation, input, namesOf(bound));
    return { data, text: toText(data) };
  });
}

/** How a person typed each field. */
function namesOf({ operand, fields = [] }: AdministrationCommand): Record<string, string> {
  const names = fields.map(({ flags, field }) => [field, flags.split(" ")[0] ?? flags]);
  return Object.fromEntries(operand === undefined ? names : [...names, [operand.field, `<${operand.show}>`]]);
}

/** A whole number, or null where the flag's word for "no number" stands. */
export function numberOr(word: string): NonNullable<Field["read"]> {
  return (text, flags) => {
    if (text === word) return null;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new InvalidArgumentError(
      `${flags.split(" ")[0]} must be a whole number or "${word}", not "${text}".`,
    );
  };
}

export function describe(data: Json): string {
  return isObject(data) ? list(data) : JSON.stringify(data);
}

/** The rows of a list answer. */
export function rowsOf(data: Json): readonly Readonly<Record<string, Json>>[] {
  return Array.isArray(data) ? data.filter(isObject) : [];
}
