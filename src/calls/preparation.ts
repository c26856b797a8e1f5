// Owns `prepare` of operations and what it may use: slow work, nothing that writes, and other operations on behalf of the same caller. Keeps
// between calls what projects share: turns, reserved credits, lists that are read page by page.

import type { Plans } from "../access/plan.ts";
import type { Prices } from "../access/price.ts";
import type { Tokens } from "../access/token.ts";
import { createPagePins } from "../audit/parts/page-pins.ts";
import type { GatewayTools } from "../gateway/gateway-tools.ts";
import type { Embed } from "../memory/embedding.ts";
import type { Extractors } from "../memory/extraction/extractor.ts";
import type { Redactor } from "../memory/extraction/redactor.ts";
import { createExamplePrompts } from "../memory/search/example-prompts.ts";
import { type Reranker, rerankDeadlineMs } from "../memory/search/reranker.ts";
import { extractionQueueLimits, extractionsPerProject } from "../platform/limits.ts";
import { createFairGate } from "../platform/scheduling/fair-gate.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Authority } from "./arrival/identify.ts";
import type { Answer } from "./contract/answer.ts";
import type { Exchange } from "./contract/exchange.ts";
import type { Preparation, ProjectOperation } from "./contract/operation.ts";
import type { ReportedSettings } from "./contract/reported-settings.ts";
import type { Request } from "./contract/request.ts";
import type { ErasureWatch } from "./erasure-watch.ts";
import type { ModelWatch } from "./model-watch.ts";
import { createReservations } from "./operations/access/reservations.ts";
import { allOperations } from "./operations.ts";
import type { Store } from "./storage/store.ts";

export interface PreparationTools extends GatewayTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly prices: Prices;
  readonly extractors: Extractors;
  readonly redactor: Redactor;
  readonly embed: Embed;
  /** Name of the embedding model in use. */
  readonly embeddingModel: () => string;
  readonly reranker: Reranker;
  readonly plans: Plans;
  readonly tokens: Tokens;
  readonly settings: ReportedSettings;
  /** Absent: they cannot be listed. */
  readonly knownBackups?: Preparation["knownBackups"];
}

/**
 * Runs `prepare` of an operation. @returns what `apply` gets of it.
 * @param held what the call has reserved; disposed of after the call has been settled
 * @param watch begun before the operation reads anything that its record may contain
 * @param models told of the model of each vector
 * @param exchange of an operation that is one; null: of none
 */
export type Prepare = (
  authority: Authority,
  input: Readonly<Record<string, unknown>>,
  request: Request,
  held: DisposableStack,
  watch: ErasureWatch,
  models: ModelWatch,
  exchange: Exchange | null,
) => Promise<unknown>;

function ignoreProgress(): void {}

/**
 * @param perform performs another operation for an operation that is being prepared
 * @param createRecordId makes ids of records that are named before they are written
 */
export function createPrepare(
  tools: PreparationTools,
  perform: (operation: ProjectOperation, request: Request) => Promise<Answer>,
  createRecordId: (now: number) => string,
): Prepare {
  const { clock, plans, settings, embed, embeddingModel, reranker, ...others } = tools;
  const { knownBackups = async () => null, ...given } = others;
  const { store } = given;
  const pagePins = createPagePins(clock);
  const examplePrompts = createExamplePrompts(embed);
  const reservations = createReservations((project) => store.access.findCredits(project));
  const concurrencyPerProject = extractionsPerProject;
  const concurrency = Number.POSITIVE_INFINITY;
  const waitForTurn = createFairGate({ concurrency, concurrencyPerProject, limits: extractionQueueLimits });

  return async (authority, input, request, held, watch, models, exchange) => {
    const { credentials, origin, signal, answerWithinMs, onProgress = ignoreProgress } = request;
    if (authority.kind === "session") return null;
    if (authority.kind === "installation") {
      const administration = { store, now: clock.now(), plans, signal, operations: allOperations, settings };
      return (await authority.operation.prepare?.(input, administration)) ?? null;
    }
    const { operation, caller, plan, session } = authority;
    const waiter = { project: caller.project.id, signal };
    const credits = held.use(reservations(caller.project));
    // Work inside a turn must not wait for another turn: if such calls held all turns of the project, none could continue.
    let isInTurn = credentials.kind === "caller" && credentials.isInTurn;
    const preparation: Preparation = {
      ...given,
      caller,
      plan,
      pagePins,
      knownBackups,
      signal,
      exchange,
      report: onProgress,
      now: clock.now(),
      reserve: (cost) => credits.reserve(cost),
      within: (ms, work) => clock.within(ms, work),
      async embed(text, role) {
        const { project, owner } = caller;
        const isQuery = role === "query";
        using expected = isQuery ? store.memories.expectSearch(owner) : store.expectCommit(project);
        const sent = isQuery ? undefined : () => expected[Symbol.dispose]();
        const { vector, model } = await embed(text, role, { ...waiter, sent });
        models.used(model);
        return vector;
      },
      async placePrompt(vector) {
        const model = models.models?.at(-1) ?? "";
        const { place, usedModel } = await examplePrompts(vector, model, caller.project.id);
        models.used(usedModel);
        return place;
      },
      embeddingModel: embeddingModel(),
      reranker: {
        choice: reranker.choice,
        scoreTexts: (query, texts, choice) =>
          reranker.scoreTexts(query, texts, waiter, rerankDeadlineMs(reranker, choice, answerWithinMs)),
      },
      inTurn: (work) => {
        if (isInTurn) return work();
        return waitForTurn(waiter, async () => {
          isInTurn = true;
          return work().finally(() => {
            isInTurn = false;
          });
        });
      },
      async perform(other, fields, withinMs) {
        await watch.begin();
        // The answer to a client of an exchange names this record.
        const recordId = exchange === null ? undefined : createRecordId(clock.now());
        const answer = await perform(other, {
          credentials: { kind: "caller", caller, performedFor: operation.name, isInTurn, session },
          input: { kind: "object", fields },
          origin,
          signal,
          ...(recordId === undefined ? {} : { recordId }),
          ...(withinMs === undefined ? {} : { answerWithinMs: withinMs }),
        });
        return recordId === undefined ? answer : { ...answer, recordId };
      },
    };
    const mayReadErasedText = exchange === null ? operation.effects.readOnly : !exchange.isErasedMeanwhile;
    if (mayReadErasedText) await watch.begin();
    const prepared = await operation.prepare?.(input, preparation);
    credits.settle();
    return prepared;
  };
}
