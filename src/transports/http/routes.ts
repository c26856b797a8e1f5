// Owns the routes of the HTTP API: the method, the path and the operation of each. Adds no rule.

import {
  exchangeOf,
  type InstallationOperation,
  type ProjectOperation,
} from "../../calls/contract/operation.ts";
import { otherOperations, projectOperations } from "../../calls/operations.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface Route<Bound = ProjectOperation> {
  readonly method: Method;
  /** Parameters are segments such as `:memory_id`. */
  readonly path: string;
  readonly operation: Bound;
}

/** A route of the API, whoever may use it. */
export type ApiRoute = Route<ProjectOperation | InstallationOperation>;

const table: readonly (readonly [Method, string, name: string])[] = [
  ["POST", "/v1/memories", "memory.create"],
  ["GET", "/v1/memories", "memory.list"],
  ["DELETE", "/v1/memories", "memory.delete_all"],
  ["POST", "/v1/memories/batch", "memory.create_batch"],
  ["PUT", "/v1/memories/batch", "memory.update_batch"],
  ["DELETE", "/v1/memories/batch", "memory.delete_batch"],
  ["POST", "/v1/memories/search", "memory.search"],
  ["POST", "/v1/memories/inject", "memory.inject"],
  ["POST", "/v1/memories/extract", "memory.extract"],
  ["GET", "/v1/memories/tags", "memory.tags"],
  ["GET", "/v1/memories/statistics", "memory.statistics"],
  ["GET", "/v1/memories/export", "memory.export"],
  ["PUT", "/v1/memories/by-source/:source_id", "memory.put"],
  ["GET", "/v1/memories/:memory_id", "memory.read"],
  ["PUT", "/v1/memories/:memory_id", "memory.update"],
  ["DELETE", "/v1/memories/:memory_id", "memory.delete"],
  ["GET", "/v1/memories/:memory_id/history", "memory.history"],
  ["GET", "/v1/memories/conversations", "conversation.list"],
  ["GET", "/v1/memories/conversations/:conversation", "conversation.read"],
  ["POST", "/v1/memories/conversations/:conversation/erase", "conversation.erase"],
  ["GET", "/v1/subjects", "subject.list"],
  ["GET", "/v1/subjects/:subject/export", "subject.export"],
  ["POST", "/v1/subjects/:subject/erase", "subject.erase"],
  ["POST", "/v1/suggestions", "suggestion.create"],
  ["GET", "/v1/suggestions", "suggestion.list"],
  ["POST", "/v1/suggestions/accept", "suggestion.accept_batch"],
  ["POST", "/v1/suggestions/refuse", "suggestion.refuse_batch"],
  ["GET", "/v1/suggestions/:suggestion_id", "suggestion.read"],
  ["POST", "/v1/suggestions/:suggestion_id/accept", "suggestion.accept"],
  ["POST", "/v1/suggestions/:suggestion_id/merge", "suggestion.merge"],
  ["POST", "/v1/suggestions/:suggestion_id/refuse", "suggestion.refuse"],
  ["POST", "/v1/checks", "check.create"],
  ["GET", "/v1/checks", "check.list"],
  ["POST", "/v1/checks/run", "check.run"],
  ["DELETE", "/v1/checks/:check_id", "check.delete"],
  ["GET", "/v1/audit/logs", "audit.list"],
  ["POST", "/v1/audit/logs", "audit.append"],
  ["GET", "/v1/audit/logs/:audit_id", "audit.read"],
  ["GET", "/v1/audit/logs/:audit_id/proof", "audit.proof"],
  ["GET", "/v1/audit/logs/:audit_id/receipt", "audit.receipt"],
  ["POST", "/v1/audit/logs/export", "audit.export"],
  ["GET", "/v1/audit/logs/export", "audit.export_list"],
  ["GET", "/v1/audit/logs/export/:export_id", "audit.export_status"],
  ["GET", "/v1/audit/logs/export/:export_id/download", "audit.export_download"],
  ["GET", "/v1/audit/logs/export/:export_id/manifest", "audit.export_manifest"],
  ["GET", "/v1/audit/statistics", "audit.statistics"],
  ["GET", "/v1/audit/checkpoint", "audit.checkpoint"],
  ["GET", "/v1/audit/checkpoints", "audit.checkpoint_list"],
  ["GET", "/v1/audit/consistency", "audit.consistency"],
  ["GET", "/v1/audit/verify", "audit.verify"],
  ["POST", "/v1/chat/completions", "gateway.chat"],
  ["POST", "/v1/responses", "gateway.responses"],
  ["POST", "/v1/messages", "gateway.messages"],
  ["POST", "/v1/messages/count_tokens", "gateway.count_tokens"],
  ["POST", "/v1/embeddings", "gateway.embeddings"],
  ["GET", "/v1/models", "gateway.models"],
  ["POST", "/v1/keys", "key.issue"],
  ["DELETE", "/v1/keys", "key.revoke_issued"],
];

export const routes: readonly Route[] = bindRoutes();

/** Resources of the APIs of providers, each with all paths below it. */
const resources = [
  "assistants audio batches completions containers conversations evals files fine_tuning images models moderations",
  "realtime rerank responses skills threads uploads vector_stores videos chat/completions messages/batches",
].flatMap((names) => names.split(" "));

/**
 * The routes of the requests that the gateway passes on without reading their contents. They are not in the API reference: the references
 * of the providers describe them.
 */
export const forwardedRoutes: readonly Route[] = resources.flatMap((resource) =>
  [`/v1/${resource}`, `/v1/${resource}/*`].flatMap((path) =>
    (["GET", "POST", "DELETE"] as const)
      .filter((method) => !isTaken(method, path) && !(method === "POST" && path.startsWith("/v1/chat/")))
      .map((method) => ({ method, path, operation: otherOperations.forwardRequest })),
  ),
);

function isTaken(method: Method, path: string): boolean {
  return routes.some((route) => route.method === method && route.path === path);
}

/** @throws Error unless every operation of a project has exactly one route. */
function bindRoutes(): Route[] {
  const unbound = new Map(projectOperations.map((operation) => [operation.name, operation]));
  const bound = table.map(([method, path, name]) => {
    const operation = unbound.get(name);
    if (operation === undefined) throw new Error(`the operation ${name} does not exist, or has two routes`);
    unbound.delete(name);
    return { method, path, operation };
  });
  if (unbound.size > 0) throw new Error(`operations without a route: ${[...unbound.keys()].join(", ")}`);
  return bound;
}

/** Names of the path's parameters, in their order. */
export function pathParameters({ path }: Pick<ApiRoute, "path">): string[] {
  return path
    .split("/")
    .filter((segment) => segment.startsWith(":"))
    .map((segment) => segment.slice(1));
}

/** Whether the operation's input comes from the body; otherwise it comes from the query. */
export function takesBody({ method, operation, path }: ApiRoute): boolean {
  if (method === "GET") return false;
  const inPath = pathParameters({ path });
  // A request that has nothing else to say names its subject, and its reason, in the query.
  const said = Object.keys(operation.input.properties).filter(
    (name) => name !== "subject" && name !== "reason" && !inPath.includes(name),
  );
  return exchangeOf(operation) !== undefined || said.length > 0;
}
