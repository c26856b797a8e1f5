// Binds a command to an operation of the installation: options become fields of the input, the answer becomes the output. Adds no rule.

import { type Command, InvalidArgumentError, Option } from "commander";
import type { InstallationOperation } from "../../calls/contract/operation.ts";
import { isObject, type Json, type JsonObject, readJson } from "../../platform/json/json.ts";
import type { Config } from "../../server/config/config.ts";
import { attributeOf, bindWork, type Session } from "../command.ts";
import { type Confirmation, confirm, requirePrompt } from "../confirmation.ts";
import { list } from "../terminal.ts";
import { administer } from "./administer.ts";

export interface Field {
  /** `--credits <number|unlimited>`. An option without a value, such as `--delete-memory`, sets the field to true. */
  readonly flags: string;
  /** Name of the operation's input field, such as `credits`, or `gateway/memory` for a member of an object. */
  readonly field: string;
  readonly description: string;
  readonly isRequired?: boolean;
  /** Converts the text to the value of the field. Default: the text itself. @throws InvalidArgumentError */
  readonly read?: (text: string, flags: string) => Json;
  /** The option can be given several times: the field is the list of its texts. */
  readonly isRepeated?: boolean;
}

interface AdministrationCommand {
  readonly name: string;
  readonly operation: InstallationOperation;
  /** A positional argument; `show` is its name in the help text. */
  readonly operand?: { readonly show: string; readonly field: string; readonly isOptional?: boolean };
  readonly fields?: readonly Field[];
  /** Checks the input before the confirmation prompt. @throws InvalidArgumentError */
  readonly check?: (input: JsonObject) => void;
  readonly toText?: (data: Json) => string;
  /** The confirmation prompt, null when none is needed for this input. Adds the option --yes. */
  readonly confirmation?: (config: Config, input: JsonObject) => Promise<Confirmation | null>;
  /** True: only some inputs need a confirmation, so that others can run without a terminal. */
  readonly isConfirmationConditional?: boolean;
}

/** Of what changes something. */
export const reasonField: Field = {
  flags: "--reason <text>",
  field: "reason",
  description: "reason, stored in the audit record, such as a ticket number",
};

export function bindOperation(parent: Command, session: Session, bound: AdministrationCommand): void {
  const {
    operation,
    operand,
    fields: own = [],
    toText = describe,
    confirmation,
    isConfirmationConditional = false,
  } = bound;
  const fields = operation.effects.readOnly ? own : [...own, reasonField];
  const command = parent.command(bound.name).description(operation.description);
  if (operand !== undefined)
    command.argument(operand.isOptional === true ? `[${operand.show}]` : `<${operand.show}>`);
  addFields(command, fields);
  if (confirmation !== undefined) command.option("--yes", "skip the confirmation prompt");
  bindWork(command, session, async ({ config, options, operands, terminal }) => {
    const input: Record<string, Json> = {};
    const [named] = operands;
    if (operand !== undefined && (named !== undefined || operand.isOptional !== true))
      input[operand.field] = named ?? "";
    readFields(fields, options, input);
    bound.check?.(input);
    const mustAsk = confirmation !== undefined && options.yes !== true;
    if (mustAsk && !isConfirmationConditional) requirePrompt(terminal);
    const question = mustAsk ? await confirmation(config, input) : null;
    if (question !== null) {
      requirePrompt(terminal, question);
      await confirm(question);
    }
    const names = {
      ...namesOf(fields),
      ...(operand === undefined ? {} : { [operand.field]: `<${operand.show}>` }),
    };
    const data = await administer(config, operation, input, names);
    return { data, text: toText(data) };
  });
}

export function addFields(command: Command, fields: readonly Field[]): void {
  for (const { flags, description, isRequired = false, isRepeated = false } of fields) {
    const option = new Option(flags, description).makeOptionMandatory(isRequired);
    command.addOption(
      isRepeated
        ? option.argParser((text: string, texts: readonly string[] = []) => [...texts, text])
        : option,
    );
  }
}

/** Puts the options that were given into the input. @throws InvalidArgumentError */
export function readFields(
  fields: readonly Field[],
  options: Readonly<Record<string, unknown>>,
  input: Record<string, Json>,
): void {
  for (const { flags, field, read = (text: string): Json => text } of fields) {
    const given = options[attributeOf(flags)];
    if (typeof given === "string") put(input, field, read(given, flags));
    if (given === true) put(input, field, true);
    if (Array.isArray(given)) put(input, field, given);
  }
}

function put(input: Record<string, Json>, field: string, value: Json): void {
  const [name = "", member] = field.split("/");
  const object = input[name];
  input[name] = member === undefined ? value : { ...(isObject(object) ? object : {}), [member]: value };
}

/** The name of each field on the command line. */
export function namesOf(fields: readonly Field[]): Record<string, string> {
  return Object.fromEntries(fields.map(({ flags, field }) => [field, flags.split(" ")[0] ?? flags]));
}

/** A whole number, or null for the word that means "no number". */
export function numberOr(word: string): NonNullable<Field["read"]> {
  return (text, flags) => {
    if (text === word) return null;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new InvalidArgumentError(
      `${flags.split(" ")[0]} must be a whole number or "${word}", not "${text}".`,
    );
  };
}

export function wholeNumber(text: string, flags: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`${flags.split(" ")[0]} must be a whole number, not "${text}".`);
}

export function jsonObject(text: string, flags: string): JsonObject {
  const value = readJson(text);
  if (isObject(value)) return value;
  throw new InvalidArgumentError(
    `${flags.split(" ")[0]} must be a JSON object, such as '{"team":"payments"}', not "${text}".`,
  );
}

export function describe(data: Json): string {
  return isObject(data) ? list(data) : JSON.stringify(data);
}
