// Owns the type Operation: one thing a caller can do, as a value. Transports bind names to operations and add no rules.

import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Caller } from "../../access/caller.ts";
import type { Permission } from "../../access/key.ts";
import type { Feature, Plan, Plans } from "../../access/plan.ts";
import type { Cost, Prices } from "../../access/price.ts";
import type { Tokens } from "../../access/token.ts";
import type { PagePins } from "../../audit/parts/page-pins.ts";
import type { GatewayTools } from "../../gateway/gateway-tools.ts";
import type { EmbeddingRole } from "../../memory/embedding.ts";
import type { Extractors } from "../../memory/extraction/extractor.ts";
import type { Redactor } from "../../memory/extraction/redactor.ts";
import type { PromptPlace } from "../../memory/search/example-prompts.ts";
import type { CallReranker } from "../../memory/search/reranker.ts";
import type { ErrorCode } from "../../platform/errors.ts";
import type { Json, JsonObject } from "../../platform/json/json.ts";
import { conversationName } from "../../platform/schema/conversation-name.ts";
import { reasonText } from "../../platform/schema/reason.ts";
import { subjectName } from "../../platform/schema/subject-name.ts";
import type { Store, Transaction } from "../storage/store.ts";
import type { Answer } from "./answer.ts";
import type { Application, ProjectApplication, SessionApplication } from "./application.ts";
import { type Applied, confirm, type Precomputed } from "./applied.ts";
import type { Effects } from "./effects.ts";
import type { Exchange, ExchangeSettings } from "./exchange.ts";
import type { KnownBackup } from "./known-backup.ts";
import type { ReportedSettings } from "./reported-settings.ts";
import type { ReportProgress } from "./request.ts";

/** What `prepare` may use: slow work, and nothing that writes. */
export interface Preparation extends GatewayTools {
  readonly caller: Caller;
  readonly plan: Plan;
  readonly store: Store;
  readonly now: number;
  readonly prices: Prices;
  readonly extractors: Extractors;
  readonly redactor: Redactor;
  readonly tokens: Tokens;
  /** The ends of lists that are read by page number. */
  readonly pagePins: PagePins;
  /** The backups that the server knows; null: they cannot be listed. */
  readonly knownBackups: () => Promise<readonly KnownBackup[] | null>;
  /** Aborted when the client has closed the connection. */
  readonly signal: AbortSignal;
  /** Tells the client how far the call is, if the client wants to know. */
  readonly report: ReportProgress;
  /** Of an operation that is an exchange; null for all others. */
  readonly exchange: Exchange | null;
  /** Reserves credits until the call is settled; to be called before the work that costs them. @throws Refusal 1402 */
  reserve(cost: Cost): Promise<void>;
  /** Runs work that may run for minutes. Few such calls of a project run at once; the others wait. @throws Refusal 1429 if too many wait */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Performs another operation for the same caller, as a separate call: it has its own record, its own permission and plan check, and its
   * own transaction, so its changes stay if this operation is refused later. The rate limit does not count it, because the caller has
   * sent one request. The answer may be a refusal. If an erasure is committed before this operation is settled, it is refused with 1503,
   * because the answer may contain the erased text. Exchanges are prepared again instead.
   * @param answerWithinMs how long this operation waits for it; it is not stopped, but leaves out what would take too long
   */
  perform(operation: ProjectOperation, input: JsonObject, answerWithinMs?: number): Promise<Answer>;
  /** The result of `work`, or undefined after `ms`. The work itself is not stopped. */
  within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined>;
  /** Float32Array [dimensions of the model], L2-normalised. */
  embed(text: string, role: EmbeddingRole): Promise<Float32Array>;
  /** How the prompt of this vector, which was embedded before, compares with prompts of other kinds. */
  placePrompt(vector: Float32Array): Promise<PromptPlace>;
  /** Name of the model of these vectors. */
  readonly embeddingModel: string;
  readonly reranker: CallReranker;
}

/** What reading the name of a subject in the body of an exchange may use. */
export type SubjectReading = Pick<Preparation, "gateway" | "bodies" | "caller" | "signal">;

type DataOf<Output extends TSchema | null> = Output extends TSchema ? Static<Output> : null;

interface Description<Input extends TObject, Output extends TSchema | null> {
  /** Dotted name; also the `action` of its audit records. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly effects: Effects;
  readonly success: 200 | 201 | 204;
  /** A success may have this status instead; absent: none has another one. */
  readonly otherSuccess?: 200;
  /** The answer contains audit records. The record of the call does not store it: a log that contains its own answers grows without limit. */
  readonly answersWithRecords?: boolean;
  readonly input: Input;
  /** Fields of the body that no record has. Absent: none. */
  readonly unrecorded?: readonly string[];
  /** Schema of `data`; null for 204, and if the answer is a file. */
  readonly output: Output;
  /** What the file contains that is the answer instead of `data`, by media type. */
  readonly files?: Readonly<Record<string, TSchema>>;
  readonly example?: { readonly input: JsonObject; readonly data: Json };
}

/**
 * reads: memories of the project, and passages. memories: those of these ids, as received. stores: whether the call stores passages, and
 * nothing that is kept.
 */
export type PassageUse<Input> =
  | "reads"
  | { memories(input: Input): readonly unknown[] }
  | { stores(input: Input, extractors: Extractors): boolean };

/** An operation of a project: needs a key, a permission and a plan that includes the feature. */
export interface ProjectOperation<
  Input extends TObject = TObject,
  Prepared = unknown,
  Output extends TSchema | null = TSchema | null,
> extends Description<Input, Output> {
  readonly scope: "project";
  readonly permission: Permission;
  readonly feature: Feature;
  /** Whether the record of a call may name itself, so that its id is made at arrival. Absent: no. */
  readonly namesItsRecord?: boolean;
  /**
   * A call may be for a subject: the input, or a header, names it. The name is taken out of the input before `prepare`, and is not recorded.
   * Keys that are bound to subjects can perform no other operations. "known": a name that is not known stays so. Absent: no.
   */
  readonly forSubjects?: true | "known";
  /**
   * A call may name a conversation of its owner, in the field `conversation`; an exchange, in a header. As `forSubjects`: the name is taken out of
   * the input, and is not recorded.
   */
  readonly forConversations?: true | "known";
  /** What a call has to do with the passages of the user of this machine, if it is of that user; absent: nothing. */
  readonly passages?: PassageUse<Static<Input>>;
  /** The subject that the body of an exchange names, canonical; null: none. Absent: no body names one. @throws Refusal */
  readonly readSubject?: (exchange: Exchange, reading: SubjectReading) => Promise<string | null>;
  /** May run for minutes; disables the idle timeout of its connection. */
  readonly mayRunLong?: boolean;
  /**
   * The answer goes to the client while the operation is prepared (exchange.ts), and `prepare` returns a precomputed outcome. The body is
   * not parsed and not validated, and `input` has no fields. The call is authorised when it arrives; what happens to its key or plan
   * afterwards does not change its record. Absent: no exchange.
   */
  readonly exchange?: ExchangeSettings;
  /** Error codes of its own rules, besides those of every call. */
  readonly refusals: readonly ErrorCode[];
  /** The result is sent to the writer's thread: plain data and typed arrays only. Absent: nothing to prepare. */
  prepare?(
    input: Static<Input>,
    preparation: Preparation,
  ): Promise<Prepared | Precomputed<DataOf<Output>, Prepared>>;
  /** Runs inside one transaction; awaits only methods of the transaction. */
  apply(
    transaction: Transaction,
    input: Static<Input>,
    prepared: Prepared,
    application: ProjectApplication,
  ): Promise<Applied<DataOf<Output>>>;
}

/** What `prepare` of an operation of the installation may use. */
export interface InstallationPreparation extends Pick<Preparation, "store" | "now" | "signal"> {
  readonly plans: Plans;
  /** All that there are. */
  readonly operations: readonly Operation[];
  readonly settings: ReportedSettings;
}

/** Administration of the installation: from this machine, and what calls/console-operations.ts permits also from the console. */
export interface InstallationOperation<
  Input extends TObject = TObject,
  Output extends TSchema | null = TSchema | null,
  Prepared = unknown,
> extends Description<Input, Output> {
  readonly scope: "installation";
  /** The answer contains a secret, so the record does not store it. */
  readonly secret: boolean;
  /** As `prepare` of a project's operation; absent: nothing to prepare. */
  prepare?(input: Static<Input>, preparation: InstallationPreparation): Promise<Prepared>;
  apply(
    transaction: Transaction,
    input: Static<Input>,
    application: Application,
    prepared: Prepared,
  ): Promise<Applied<DataOf<Output>>>;
}

/** What people do about their own sessions. Needs no permission: a key that may be used may sign in, and a session may always be closed. */
export interface SessionOperation<
  Input extends TObject = TObject,
  Output extends TSchema | null = TSchema | null,
> extends Description<Input, Output> {
  readonly scope: "session";
  /** As of InstallationOperation. */
  readonly secret: boolean;
  apply(
    transaction: Transaction,
    input: Static<Input>,
    application: SessionApplication,
  ): Promise<Applied<DataOf<Output>>>;
}

export type Operation = ProjectOperation | InstallationOperation | SessionOperation;

/** Undefined: the operation is no exchange. */
export function exchangeOf(operation: Operation): ProjectOperation["exchange"] {
  return operation.scope === "project" ? operation.exchange : undefined;
}

/** What an operation says: the members named by `Usual` only if they are not the usual ones, which the functions below set. */
type Said<Of extends Operation, Usual extends keyof Of> = Omit<Of, "scope" | Usual> &
  Partial<Pick<Of, Usual>>;

/** Gives an operation its types and its scope. By default it answers 200, refuses nothing of its own, and `apply` confirms what `prepare` has read. */
export function projectOperation<Input extends TObject, Prepared, Output extends TSchema | null>(
  said: Said<ProjectOperation<Input, Prepared, Output>, "success" | "refusals" | "apply">,
): ProjectOperation<Input, Prepared, Output> {
  const operation = { scope: "project", success: 200, refusals: [], apply: confirm, ...said } as const;
  if (operation.forSubjects === undefined || operation.exchange !== undefined) return operation;
  const { properties, ...schema } = operation.input;
  // `prepare` and `apply` do not see them. An operation that needs one of them says so in its own input.
  const named = {
    ...(operation.forConversations !== undefined && {
      conversation: properties.conversation ?? Type.Optional(conversationName),
    }),
    subject: properties.subject ?? Type.Optional(subjectName),
  };
  const input = Type.Object({ ...properties, ...named }, schema);
  return { ...operation, input: input as unknown as Input };
}

/** Gives an operation its types and its scope. By default it answers 200, without a secret. What changes something may be given a reason. */
export function installationOperation<
  Input extends TObject,
  Output extends TSchema | null,
  Prepared = unknown,
>(
  said: Said<InstallationOperation<Input, Output, Prepared>, "success" | "secret">,
): InstallationOperation<Input, Output, Prepared> {
  const operation = { scope: "installation", success: 200, secret: false, ...said } as const;
  if (operation.effects.readOnly) return operation;
  const { properties, ...schema } = operation.input;
  const input = Type.Object({ ...properties, reason: Type.Optional(reasonText) }, schema);
  // Only records have it: the operation does not see it.
  return { ...operation, input: input as unknown as Input };
}

/** Gives an operation its types and its scope. The defaults are those of an operation of the installation. */
export function sessionOperation<Input extends TObject, Output extends TSchema | null>(
  said: Said<SessionOperation<Input, Output>, "success" | "secret">,
): SessionOperation<Input, Output> {
  return { scope: "session", success: 200, secret: false, ...said };
}
