// Owns what the overview of the console is made of: it connects the parts of this server with src/transports/http/console/overview/.

import type { CallHistory } from "../calls/statistics/call-history.ts";
import { installationStepSeconds, installationSteps, pastCallsMax } from "../calls/statistics/limits.ts";
import type { NearLimitsQuery } from "../calls/storage/statistics.ts";
import type { Store } from "../calls/storage/store.ts";
import type { MemoryOutcomes } from "../gateway/memory-outcomes.ts";
import type { Json } from "../platform/json/json.ts";
import { componentVersions } from "../platform/native/component-versions.ts";
import type { Readers } from "../platform/statistics/source.ts";
import type { Supervisor } from "../platform/threads/supervisor.ts";
import type { Clock } from "../platform/time/clock.ts";
import { commit, version } from "../platform/version.ts";
import type {
  CertificateFacts,
  Confirmation,
  CurrentFacts,
  ServerFacts,
  SlowFacts,
} from "../transports/http/console/overview/facts.ts";
import {
  extractionsLeftMin,
  keyExpiresSoonMs,
  memoryShareMin,
  namedMax,
  recentMs,
} from "../transports/http/console/overview/limits.ts";
import { createLive } from "../transports/http/console/overview/live.ts";
import type { Overview } from "../transports/http/console/overview/overview.ts";
import { watchRestarts } from "../transports/http/console/overview/recent-restarts.ts";
import { toConfirmation } from "../transports/http/console/overview/state.ts";
import { createStateReader } from "../transports/http/console/overview/state-reader.ts";
import type { Readiness } from "../transports/http/health.ts";
import { type Certificate, nearEnd } from "../transports/http/network/certificate.ts";
import type { Config } from "./config/config.ts";
import { durationMs } from "./config/setting.ts";
import { settingsInForce } from "./config/settings-in-force.ts";
import type { SettingReport } from "./config/sources.ts";
import { isAccessibleToOthers } from "./data-directory/data-directory.ts";
import { readDirectorySizes } from "./data-directory/directory-sizes.ts";
import { readRotations, rotationsPath } from "./ledger/ledger-rotation.ts";
import { measuredReaders, restartsOf } from "./measured-facts.ts";

const dayMs = 86_400_000;
const pastCallsMs = installationSteps * installationStepSeconds * 1_000;
/** The spans for which costs are shown. */
const costDays = [1, 30];

interface StatusParts {
  readonly store: Pick<Store, "statistics" | "models">;
  /** Of the threads besides those of the store. */
  readonly supervisor: Pick<Supervisor, "restarts">;
  readonly history: CallHistory;
  readonly memoryOutcomes: Pick<MemoryOutcomes, "recentMisses">;
  readonly readiness: Readiness;
  readonly build: () => Pick<CurrentFacts, "format" | "model" | "extractor">;
  readonly confirmations: () => Promise<readonly Confirmation[]>;
  /** The settings and their sources. */
  readonly reports: readonly SettingReport[];
  readonly clock: Clock;
}

/** What is known of the address when the server listens. */
interface ListeningAddress {
  /** What the operator must know about it, in sentences; null: nothing. */
  readonly warning: string | null;
  certificate(): Certificate | null;
}

export interface ServerStatus extends Overview, Disposable {
  /** The server listens on a port from now on. */
  listensOn(address: ListeningAddress): void;
}

export function createServerStatus(config: Config, parts: StatusParts): ServerStatus {
  const { store, history, clock, supervisor } = parts;
  let address: ListeningAddress | null = null;
  const restarts = watchRestarts(() => restartsOf(store, supervisor), clock);
  const current = (): CurrentFacts => {
    const { verifiedAt, chainsWithFailure } = store.statistics.current();
    const { format, model, extractor } = parts.build();
    return {
      format,
      model,
      extractor,
      verifiedAt,
      chainsWithFailure,
      certificate: certificateFacts(address?.certificate() ?? null, clock.now()),
      addressWarning: address?.warning ?? null,
      isAccessibleToOthers: isAccessibleToOthers(config.dataDir),
      internalErrors: recentInternalErrors(history),
      memoryMisses: parts.memoryOutcomes.recentMisses(),
      restartedThread: restarts.last(),
    };
  };
  const server = serverFacts(config, clock);
  const readState = createStateReader({ server, current, slow: slowFacts(config, parts) }, clock);
  const readPast = async () => {
    const { startedAt: before } = history;
    const past = { from: before - pastCallsMs, before, most: pastCallsMax };
    const found = await store.statistics.pastCalls(past);
    if (found !== null) history.countPast(found);
  };
  const { statistics } = store;
  const live = createLive({ history, statistics, readState, readPast, plans: config.plans, clock });
  return {
    live,
    settings: () => toJson({ settings: settingsInForce(parts.reports), versions: componentVersions() }),
    async connections(url) {
      // Loaded here, because parsers of configuration files would delay the start.
      const { keyPlaceholder, snippetsFor } = await import("../assistants/connect/snippets.ts");
      return toJson({ key_placeholder: keyPlaceholder, assistants: snippetsFor(url) });
    },
    async costs(project) {
      const costs = costDays.map(async (days) => {
        const found = await statistics.gatewayCost({ id: project }, clock.now() - days * dayMs);
        if (found === null) return null;
        return { days, calls: found.calls, usd: found.usd, calls_without_cost: found.withoutCost };
      });
      return toJson({ costs: (await Promise.all(costs)).filter((each) => each !== null) });
    },
    confirmations: async () => toJson((await parts.confirmations()).map(toConfirmation)),
    keyChanges: () => readRotations(rotationsPath(config.dataDir)),
    listensOn(listening) {
      address = listening;
    },
    [Symbol.dispose]() {
      restarts[Symbol.dispose]();
      live.close();
    },
  };
}

function serverFacts(config: Config, clock: Clock): ServerFacts {
  const { dataDir, backupDir, backupEvery, backupKeep } = config;
  return {
    version,
    commit,
    dataDir,
    startedAt: clock.now(),
    searchIndexLimitBytes: config.searchCacheMb * 1024 * 1024,
    backupSchedule:
      backupDir === null ? null : { folder: backupDir, everyMs: durationMs(backupEvery), keep: backupKeep },
  };
}

function slowFacts(config: Config, parts: StatusParts): Readers<SlowFacts> {
  const { statistics, models } = parts.store;
  const { dataDir } = config;
  return {
    ...measuredReaders(dataDir, parts),
    directory: () => readDirectorySizes(dataDir),
    contents: () => statistics.contents(false),
    nearLimits: () => statistics.nearLimits(nearLimitsQuery(config, parts.clock.now())),
    modelChange: () => models.change(),
    confirmations: parts.confirmations,
  };
}

function nearLimitsQuery({ plans, prices }: Config, now: number): NearLimitsQuery {
  return {
    now,
    expiresBefore: now + keyExpiresSoonMs,
    memoryLimits: {
      free: plans.free.memoryLimit,
      basic: plans.basic.memoryLimit,
      pro: plans.pro.memoryLimit,
      business: plans.business.memoryLimit,
      custom: plans.custom.memoryLimit,
    },
    memoryShareMin,
    // Where extractions cost nothing, credits are of no use.
    creditsMax: prices.extractionCredits === 0 ? -1 : extractionsLeftMin * prices.extractionCredits,
    namedMax,
  };
}

function certificateFacts(certificate: Certificate | null, now: number): CertificateFacts | null {
  if (certificate === null) return null;
  return { name: certificate.name, endsAt: certificate.endsAt, ending: nearEnd(certificate, now) };
}

function recentInternalErrors({ installation }: CallHistory): number {
  const steps = recentMs / 1_000 / installationStepSeconds;
  const { codes } = installation.read(installation.step() - steps + 1);
  return (codes[1500] ?? []).reduce((sum, calls) => sum + calls, 0);
}

/** As a client gets it. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}
