// Owns the routes of the gateway: they bind operations that are exchanges, receive bodies without reading them, and print refusals as errors
// of the API that the client speaks. Must never change a byte of an answer.

import { type Answer, dataOf } from "../../calls/contract/answer.ts";
import type { AnswerHead, ExchangeSettings } from "../../calls/contract/exchange.ts";
import type { Request as Arrival } from "../../calls/contract/request.ts";
import type { Perform, Performed } from "../../calls/perform.ts";
import { errorHeaders, toAnthropicError, toOpenAiError } from "../../gateway/dialects/error-forms.ts";
import { errorMeaning, errorStatus, successCode } from "../../platform/errors.ts";
import { idleTimeoutSeconds } from "../../platform/limits.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { receiveBytes } from "./body.ts";
import type { CallLog } from "./call-log.ts";
import { createExchangeClient, type HttpExchangeClient } from "./exchange-client.ts";
import { readGatewaySender } from "./gateway-sender.ts";
import type { Handler } from "./handler.ts";
import type { Listener } from "./network/listener.ts";
import { readConversation, readReported, readSubject } from "./request.ts";
import { common } from "./response.ts";
import type { Route } from "./routes.ts";
import type { Sender } from "./sender.ts";

/** Names the record of the call in every answer that has one. */
const recordHeader = "Memledger-Record";

interface GatewayTools {
  readonly perform: Perform;
  readonly clock: Clock;
  readonly calls: CallLog;
}

/** The handler throws Refusal 1400 when the request contradicts its connection. */
export function createGatewayRoute(
  route: Route,
  exchange: ExchangeSettings,
  options: GatewayTools,
  listener: Listener,
): Handler {
  const { perform, clock } = options;
  return async ({ request }) => {
    const arrivedAt = clock.elapsed();
    const sender = readGatewaySender(request, listener.readSender);
    const client = createExchangeClient({
      signal: request.signal,
      stallMaxMs: idleTimeoutSeconds * 1_000,
      toHeaders,
    });
    const arrival = toArrival(request, sender, arrivedAt, exchange, client);
    // Between two pieces of an answer there may be any time. A client that does not read has a limit of its own.
    listener.setIdleTimeout(request, 0);
    const performed = perform(route.operation, arrival).finally(() => {
      client.close();
      listener.setIdleTimeout(request, idleTimeoutSeconds);
    });
    const logged = performed.then((each) => {
      logExchange(route, options, request, { sender, arrivedAt, client }, each);
      return each.answer;
    });
    return (await client.response) ?? refusalTo(request, await logged);
  };
}

function toArrival(
  request: Request,
  { credentials, ip }: Sender,
  arrivedAt: number,
  { maxBodyBytes, acceptsAnyType = false }: ExchangeSettings,
  client: HttpExchangeClient,
): Arrival {
  const { method, headers, url } = request;
  return {
    credentials,
    input: {
      kind: "received",
      parameters: {},
      fault: null,
      receiveBody: async (claim) =>
        method === "POST"
          ? await receiveBytes(request, claim, { maxBytes: maxBodyBytes, acceptsAnyType })
          : { kind: "none" },
    },
    origin: { transport: "gateway", ip, client: null, ...readReported(headers) },
    subject: readSubject(headers),
    conversation: readConversation(headers),
    arrivedAt,
    exchange: { headers, method, path: URL.parse(url)?.pathname ?? "", search: searchOf(url), client },
    signal: request.signal,
  };
}

function searchOf(url: string): string {
  return URL.parse(url)?.search ?? "";
}

/** What an upstream says about caching counts; nothing said: as every answer. */
function toHeaders({ headers: given }: AnswerHead, recordId: string): Headers {
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(common)) if (!headers.has(name)) headers.set(name, value);
  headers.set(recordHeader, recordId);
  return headers;
}

/** The answer to a call of which nothing was sent. */
function refusalTo({ headers: sent, url }: Request, answer: Answer): Response {
  const { status, message, data, recordId, retryAfterSeconds } = toRefused(answer);
  const speaksAnthropic =
    sent.has("anthropic-version") || (URL.parse(url)?.pathname ?? "").startsWith("/v1/messages");
  const toError = speaksAnthropic ? toAnthropicError : toOpenAiError;
  const headers: Record<string, string> = {
    ...common,
    "Content-Type": "application/json",
    ...errorHeaders(retryAfterSeconds),
    ...(recordId === undefined ? {} : { [recordHeader]: recordId }),
    ...(status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
  };
  return new Response(JSON.stringify(toError({ status, message, field: fieldOf(data) })), {
    status,
    headers,
  });
}

/** An answer that broke off before its first byte is a failure of the upstream. */
function toRefused(answer: Answer): Answer {
  if (answer.code !== successCode) return answer;
  return { ...answer, status: errorStatus[1502], message: errorMeaning[1502] };
}

function fieldOf(data: string | null): string | null {
  const { field } = dataOf({ data });
  return typeof field === "string" ? field : null;
}

interface Exchanged {
  readonly sender: Sender;
  readonly arrivedAt: number;
  readonly client: HttpExchangeClient;
}

/** When the exchange has ended. Its status is that of the record. */
function logExchange(
  { path, operation }: Route,
  { calls, clock }: GatewayTools,
  { method }: Request,
  { sender, arrivedAt, client }: Exchanged,
  { answer, caller }: Performed,
): void {
  calls.log({
    method,
    path,
    operation: operation.name,
    status: answer.status,
    code: answer.code,
    record: answer.recordId ?? null,
    durationMs: clock.elapsed() - arrivedAt,
    project: caller?.project.id ?? null,
    key: caller?.key.id ?? null,
    address: sender.ip,
    bytes: () => client.sentBytes,
  });
}
