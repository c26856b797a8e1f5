// Owns reading a secret from a file that a variable MEMLEDGER_X_FILE or a key of memledger.toml names, as containers provide secrets. Must
// never show the content of the file, nor a part of it.
//
// The permissions of the file are not checked: Docker and Kubernetes mount secrets that every user of the container can read.

import { RefusedFile, readRegularText } from "../../platform/files/regular-file.ts";
import { explainSystemError } from "../../platform/files/system-error.ts";
import { ConfigError } from "./config-file.ts";
import type { Variables } from "./service-variables.ts";

/** A secret is one line. A larger file is another file. */
const maxBytes = 16 * 1024;

/** `MEMLEDGER_LLM_API_KEY_FILE` */
export function fileVariableOf(variable: string): string {
  return `${variable}_FILE`;
}

export interface FoundSecret {
  /** Without the line break at its end. */
  readonly value: string;
  /** The variable that has the secret, or the path of its file. */
  readonly variable: string;
}

/**
 * The secret in `variable`, or in the file that its file variable names; null: neither is set. An empty variable counts as not set.
 * @throws ConfigError when both are set, or the file has no secret
 */
export function findSecret(variables: Variables, variable: string): FoundSecret | null {
  const fileVariable = fileVariableOf(variable);
  const [value, path] = [variables[variable], variables[fileVariable]];
  if (value && path) {
    throw new ConfigError(`${variable} and ${fileVariable} are both set. Unset one of them.`);
  }
  if (path) return { value: readSecretFile(path, fileVariable), variable: fileVariable };
  return value ? { value, variable } : null;
}

/**
 * The line in a file.
 * @param setting where the path was found, for messages
 * @throws ConfigError when the file has no secret
 */
export function readSecretFile(path: string, setting: string): string {
  const refuse = (reason: string, cause?: unknown) =>
    new ConfigError(`The file ${path} in ${setting} ${reason}`, { cause });
  const text = readText(path, refuse);
  const value = text.replace(/\r?\n$/, "");
  if (value === "") throw refuse("is empty. Write the secret into it, as one line.");
  if (/[\r\n]/.test(value)) throw refuse("has more than one line. Write only the secret into it.");
  return value;
}

function readText(path: string, refuse: (reason: string, cause: unknown) => ConfigError): string {
  try {
    return readRegularText(path, maxBytes);
  } catch (error) {
    if (error instanceof RefusedFile) {
      const reason = error.message.slice(path.length + 1);
      throw refuse(`cannot be used: it ${reason} Name a file that has only the secret.`, error);
    }
    const { cause = "unknown system error" } = explainSystemError(error) ?? {};
    throw refuse(
      `cannot be read: ${cause}. Correct the path, or let the user that runs memledger read it.`,
      error,
    );
  }
}
