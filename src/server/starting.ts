// Owns the start of what calls are performed with: it opens the database while the embedder loads its model in another thread, then the
// extractor, a language model if one is configured, and the gateway.

import { createRateLimiter } from "../access/rate.ts";
import { createTokens, type Tokens } from "../access/token.ts";
import { createSigner } from "../audit/signed-note.ts";
import type { PerformTools } from "../calls/perform.ts";
import type { LedgerFiles } from "../calls/storage/engine.ts";
import type { Store } from "../calls/storage/store.ts";
import { createForwarder } from "../gateway/forwarder.ts";
import type { GatewayTools } from "../gateway/gateway-tools.ts";
import { createInjectedSections } from "../gateway/injected-sections.ts";
import { createMemoryOutcomes, type MemoryOutcomes } from "../gateway/memory-outcomes.ts";
import { createBodyThread } from "../gateway/thread/body-thread.ts";
import { createEmbedder } from "../models/embedding/embedder.ts";
import { readModelConfig } from "../models/embedding/model.ts";
import { findBuiltInModel, type ModelSource } from "../models/embedding/model-directory.ts";
import {
  createReplaceableEmbedder,
  type ReplaceableEmbedder,
} from "../models/embedding/replaceable-embedder.ts";
import { createExtractionThread } from "../models/extraction/extraction-thread.ts";
import { createLlmExtractor, type LlmExtractor } from "../models/extraction/llm-extractor.ts";
import type { LogFields, Logger } from "../platform/log/logger.ts";
import type { Supervisor } from "../platform/threads/supervisor.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { ClockShift } from "../platform/time/clock-shift.ts";
import type { Config } from "./config/config.ts";
import type { LockedDirectory } from "./data-directory/directory-lock.ts";
import { reportedSettingsOf } from "./data-directory/reported-settings.ts";
import { storeSettingsOf } from "./data-directory/store-settings.ts";

interface EngineOptions {
  readonly config: Config;
  readonly ledger: LedgerFiles;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly clockShift: ClockShift | null;
  readonly supervisor: Supervisor;
  readonly onModelChange: () => void;
  readonly onRemember: () => void;
}

interface StartedEngines {
  readonly store: Store;
  readonly embedder: ReplaceableEmbedder;
  readonly tokens: Tokens;
}

/** Opens the database; the embedder loads its model if texts are likely to come soon. */
export async function startEngines(
  parts: AsyncDisposableStack,
  { engine, runtime }: LockedDirectory,
  model: ModelSource,
  { config, ledger, logger, clock, clockShift, supervisor, onModelChange, onRemember }: EngineOptions,
): Promise<StartedEngines> {
  const { dimensions } = readModelConfig(model);
  const { embedders, embeddingThreads: threads } = config;
  const first = createEmbedder({ runtime, model, threads, embedders, supervisor, clock, logger });
  const embedder = createReplaceableEmbedder(first, (ms) => clock.sleep(ms));
  parts.defer(() => embedder.close());
  // Nobody has tried the user's own model.
  if (findBuiltInModel(model.sha256) === null) await first.start();
  const store = await engine.open({
    ...storeSettingsOf(config),
    model: { id: model.id, sha256: model.sha256, dimensions },
    ledger,
    searchCacheBytes: config.searchCacheMb * 1024 * 1024,
    searchThreads: config.searchThreads,
    groupCommit: config.groupCommit,
    clockShift,
    logger,
    onModelChange,
    onRemember,
  });
  parts.defer(() => store.close());
  // So that the first call does not wait for it.
  if (store.hadMemories) await first.start();
  if (config.rerank.choice !== "off" && first.reranker === null) {
    logger.info("searches are not reranked; no reranker belongs to the embedding model", { model: model.id });
  }
  return { store, embedder, tokens: createTokens(createSigner(ledger.signingKey)) };
}

type ToolOptions = Pick<EngineOptions, "config" | "logger" | "clock" | "supervisor"> &
  Required<Pick<PerformTools, "knownBackups" | "statistics">>;

/** Starts the rest of what calls are performed with: extraction, a language model and the gateway. */
export async function startTools(
  parts: AsyncDisposableStack,
  { store, embedder, tokens }: StartedEngines,
  { config, logger, clock, supervisor, knownBackups, statistics }: ToolOptions,
) {
  const extraction = createExtractionThread(supervisor);
  parts.defer(() => extraction.close());
  const languageModel = await openLanguageModel(config, logger);
  const builtIn = extraction.extractor;
  const gateway = startGateway(parts, config, { supervisor, clock, logger });
  const tools = {
    store,
    clock,
    logger,
    plans: config.plans,
    settings: reportedSettingsOf(config),
    prices: config.prices,
    ...gateway,
    limiter: createRateLimiter(),
    tokens,
    embed: (text, role, waiter) => embedder.embed(text, role, waiter),
    embeddingModel: () => embedder.current.model.id,
    reranker: { ...config.rerank, scoreTexts: (...wanted) => embedder.scoreTexts(...wanted) },
    extractors: { builtIn, languageModel, passagesLastMs: config.rememberMs },
    redactor: extraction.redactor,
    knownBackups,
    statistics,
  } satisfies PerformTools;
  return { tools, extraction, languageModel };
}

/** Null: none is configured. */
async function openLanguageModel({ llm }: Config, logger: Logger): Promise<LlmExtractor | null> {
  if (llm === null) return null;
  return createLlmExtractor({ ...llm, timeoutMs: llm.timeoutSeconds * 1_000, logger });
}

/** Without the query of the URL, which may contain a key. */
export function publicLlmSettings({ llm }: Config): LogFields {
  if (llm === null) return {};
  const { origin, pathname } = new URL(llm.baseUrl);
  return { llm_base_url: `${origin}${pathname}`, llm_model: llm.model };
}

/** Its thread starts with the first large body. */
function startGateway(
  parts: AsyncDisposableStack,
  { gateway }: Config,
  { supervisor, clock, logger }: Pick<EngineOptions, "supervisor" | "clock" | "logger">,
): GatewayTools & { readonly memoryOutcomes: MemoryOutcomes } {
  const { forward, close } = createForwarder(clock);
  parts.defer(async () => close());
  const memoryOutcomes = createMemoryOutcomes({ clock, logger });
  parts.defer(async () => memoryOutcomes.close());
  const bodies = createBodyThread(supervisor);
  parts.defer(() => bodies.close());
  return { gateway, forward, memoryOutcomes, injectedSections: createInjectedSections(), bodies };
}

/** The names of the upstreams, if the gateway has any. */
export function publicGatewaySettings({ gateway: { upstreams } }: Config): LogFields {
  return upstreams.length === 0 ? {} : { upstreams: upstreams.map(({ name }) => name) };
}
