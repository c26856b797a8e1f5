// Owns the form of an answer on the local socket, for the server that prints it and the command that reads it. It is the form that
// version 0.1.0 prints and reads, because a command and a running server may be of different versions.

import type { Answer } from "../../calls/contract/answer.ts";
import { successCode } from "../../platform/errors.ts";
import { isObject, type Json, readJson } from "../../platform/json/json.ts";

export interface Reply {
  /** 1000 on success, else an error code. */
  readonly code: number;
  readonly message: string;
  /** Null if the operation returns no data. */
  readonly data: Json;
}

export function printReply({ code, message, data }: Answer): string {
  return `{"success":${code === successCode},"code":${code},"message":${JSON.stringify(message)},"data":${data}}`;
}

/** @throws Error if it is not a reply of a memledger server */
export function readReply(text: string): Reply {
  const reply = readJson(text);
  if (!isObject(reply) || typeof reply.code !== "number" || typeof reply.success !== "boolean") {
    throw new Error(
      "The answer of the running server is not in the expected format. Use the same version of memledger for the server and the command, then restart the server.",
    );
  }
  return { code: reply.code, message: String(reply.message), data: reply.data ?? null };
}
