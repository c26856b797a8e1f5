// Owns the port on which Prometheus reads the metrics. It needs no key, and has nothing else: no path of the API is reachable through it.

import { createLogRepeats } from "../../platform/log/log-repeats.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { stopServer } from "../../platform/native/stop-server.ts";
import { listeningUrl } from "../../platform/network.ts";
import { explainListenFailure } from "../../transports/http/network/listen-failure.ts";
import {
  createWebPageCheck,
  type WebPageCheckOptions,
} from "../../transports/http/network/web-page-check.ts";
import { createExposition } from "./exposition.ts";
import type { Facts } from "./facts.ts";
import { families } from "./families.ts";
import { scrapeBodyMaxBytes, scrapeGraceMs, scrapeIdleTimeoutSeconds } from "./limits.ts";

export const metricsPath = "/metrics";

interface MetricsServerOptions extends Omit<WebPageCheckOptions, "allowedOrigins"> {
  /** 0: any free port. */
  readonly port: number;
  /** Gathers the facts of one scrape. */
  readonly readFacts: () => Promise<Facts>;
  readonly logger: Logger;
}

export interface MetricsServer {
  /** With the path. */
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** @throws Error that says what to do if the server cannot listen on the address */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { hostname, port } = options;
  const answer = createAnswer(options);
  try {
    const server = Bun.serve({
      hostname,
      port,
      reusePort: false,
      development: false,
      maxRequestBodySize: scrapeBodyMaxBytes,
      idleTimeout: scrapeIdleTimeoutSeconds,
      fetch: answer,
    });
    return {
      url: `${listeningUrl("http", hostname, server.port)}${metricsPath}`,
      port: server.port ?? port,
      stop: () => stopServer(server, scrapeGraceMs),
    };
  } catch (error) {
    throw await explainListenFailure(error, hostname, port, {
      host: "--metrics-host",
      port: "--metrics-port",
    });
  }
}

function createAnswer({ readFacts, logger, ...names }: MetricsServerOptions) {
  const exposition = createExposition(families);
  const { hostFault, originFault } = createWebPageCheck({ ...names, allowedOrigins: [] });
  const isToBeLogged = createLogRepeats();
  /** Scrapes at the same time share one, so that many of them cost as much as one. */
  let scraping: Promise<string> | null = null;

  const scrape = async (): Promise<string> => {
    try {
      return await exposition.print(await readFacts());
    } finally {
      scraping = null;
    }
  };

  return async (request: Request): Promise<Response> => {
    const { method } = request;
    // With a malformed Host header, the URL cannot be parsed.
    const url = URL.parse(request.url);
    const fault = hostFault(request.headers) ?? originFault(request.headers);
    if (fault !== null || url === null) return text(403, fault ?? "The header Host is malformed.");
    if (url.pathname !== metricsPath) return text(404, `Not found. Metrics are at ${metricsPath}.`);
    if (method !== "GET" && method !== "HEAD") {
      return text(405, "Method not allowed. Use GET or HEAD.", { Allow: "GET, HEAD" });
    }
    try {
      scraping ??= scrape();
      const body = await scraping;
      return new Response(method === "HEAD" ? null : body, {
        headers: { ...common, "Content-Type": exposition.contentType },
      });
    } catch (error) {
      const message = "metrics cannot be printed";
      if (isToBeLogged(message)) logger.error(message, { error });
      return text(500, "Internal error. The reason is in the log of the server.");
    }
  };
}

const common = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

function text(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${message}\n`, {
    status,
    headers: { ...common, "Content-Type": "text/plain; charset=utf-8", ...headers },
  });
}
