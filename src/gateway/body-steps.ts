// Owns the steps of an exchange that take long for a large body: what is read of a request and changed in it, what is read of a complete
// answer, and what is hashed for the record. Pure, so that each can run in any thread.

import type { EncodedPayload } from "../audit/parts/parts.ts";
import { encodeWithPrepared, type PreparedMembers, prepareMembers } from "../audit/parts/prepared-members.ts";
import type { NewWords } from "../memory/remembering/parts.ts";
import { Refusal } from "../platform/errors.ts";
import type { JsonObject } from "../platform/json/json.ts";
import type { AssembledAnswer } from "./answer/assembled.ts";
import { type AssemblerName, createAssembler } from "./answer/assemblers.ts";
import type { ChangedRequest, Changes, ChatRequest, Dialect, DialectName } from "./dialects/dialect.ts";
import { dialects } from "./dialects/dialects.ts";
import { readUser } from "./dialects/named-user.ts";
import { decodeBody, type RequestBody, readBody } from "./dialects/request-body.ts";
import { embeddingsDialect, type OwnEmbeddings, readEmbeddings } from "./embeddings-request.ts";
import { readNewWords } from "./new-words.ts";
import { type OtherRequest, readOtherBody } from "./other-request.ts";

export type ReadableName = DialectName | "embeddings";

/** Why something cannot be read. */
type Fault = Pick<Refusal, "code" | "message" | "data">;

export interface ReadRequest {
  readonly model: string;
  /** Who the user is, as the name of a subject; null: the request does not say. */
  readonly user: string | null | Fault;
  /** Members of the record. */
  readonly kept: PreparedMembers;
  /** What the gateway knows of the conversation, or why there is none. */
  readonly read: ChatRequest | Fault;
}

export interface ChangedBody extends Omit<ChangedRequest, "text"> {
  readonly body: Uint8Array;
}

export interface BodySteps {
  /** @throws Refusal 1400 or 1415 with the digest of the body */
  read(dialect: ReadableName, bytes: Uint8Array): ReadRequest;
  /** @param bytes what `read` has accepted */
  change(dialect: ReadableName, bytes: Uint8Array, changes: Changes): ChangedBody;
  /** A request that is no conversation. @throws Refusal 1400 or 1415 */
  readOther(bytes: Uint8Array, type: string): Promise<OtherRequest>;
  /** @throws Refusal 1400 */
  readEmbeddings(bytes: Uint8Array): OwnEmbeddings;
  /** A complete answer that was not streamed. Never throws. */
  readAnswer(assembler: AssemblerName, choices: number, text: string): AssembledAnswer;
  /** The new words in the text of a payload. Never throws. */
  readWords(action: string, payload: string): NewWords;
  encode(
    payload: string,
    kept: PreparedMembers,
    about: readonly string[],
    person?: string | null,
  ): EncodedPayload;
}

export const bodySteps: BodySteps = {
  read(name, bytes) {
    const body = readReceived(bytes);
    const dialect = dialectOf(name);
    const { body: request_body, input: input_content } = dialect.record(body);
    const kept = prepareMembers({ request_body, input_content });
    // Texts that are embedded are no conversation.
    const user = name === "embeddings" ? null : attempt(() => readUser(dialects[name].kind, body.value));
    return { model: body.model, user, kept, read: attempt(() => dialect.read(body)) };
  },
  change(name, bytes, changes) {
    const { text, ...changed } = dialectOf(name).change(readReceived(bytes), changes);
    return { ...changed, body: new TextEncoder().encode(text) };
  },
  readOther: readOtherBody,
  readEmbeddings: (bytes) => readEmbeddings(readReceived(bytes)),
  readAnswer(name, choices, text) {
    const assembler = createAssembler(name, choices);
    assembler.takeWhole(text);
    return assembler.answer();
  },
  readWords: (action, payload) => readNewWords(action, toObject(payload)),
  encode: (payload, kept, about, person) => encodeWithPrepared(toObject(payload), kept, about, person),
};

function dialectOf(name: ReadableName): Pick<Dialect, "read" | "record" | "change"> {
  return name === "embeddings" ? embeddingsDialect : dialects[name];
}

/** A body without a conversation is recorded, too. */
function attempt<Read>(read: () => Read): Read | Fault {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, data } = error;
    return { code, message, data };
  }
}

function readReceived(bytes: Uint8Array): RequestBody {
  try {
    return readBody(decodeBody(bytes));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    throw error.withDetails({ unreadable_body: { length: bytes.length, sha256 } });
  }
}

function toObject(text: string): JsonObject {
  return JSON.parse(text);
}
