// Owns the routes by which programs administer projects and API keys, with an administration key. Adds no rule:
// calls/administration-key-operations.ts has the list of what is permitted, and perform checks it.

import { administrationKeyOperations } from "../../calls/arrival/administration-key-operations.ts";
import type { Answer } from "../../calls/contract/answer.ts";
import type { InstallationOperation } from "../../calls/contract/operation.ts";
import { createKey, listKeys, revokeKey, updateKey } from "../../calls/operations/access/key-operations.ts";
import { listPlans } from "../../calls/operations/access/plan-operations.ts";
import {
  createProject,
  deleteConfirmedProject,
  listProjects,
  showProject,
  updateProject,
} from "../../calls/operations/access/project-operations.ts";
import { listInstallation } from "../../calls/operations/ledger/list-chain.ts";
import { showOfInstallation } from "../../calls/operations/ledger/show-record.ts";
import { successCode } from "../../platform/errors.ts";
import { Fields } from "../../platform/schema/schema.ts";
import { type ApiRoute, type Method, type Route, routes } from "./routes.ts";

export interface AdministrationRoute extends Route<InstallationOperation> {
  /** Of an operation that answers a list: its name in `data`, which is an object in every answer over HTTP. Absent: it answers an object. */
  readonly list?: string;
}

const table: readonly (readonly [Method, string, InstallationOperation, list?: string])[] = [
  ["POST", "/v1/admin/projects", createProject],
  ["GET", "/v1/admin/projects", listProjects, "projects"],
  ["GET", "/v1/admin/projects/:project", showProject],
  ["PUT", "/v1/admin/projects/:project", updateProject],
  ["DELETE", "/v1/admin/projects/:project", deleteConfirmedProject],
  ["POST", "/v1/admin/keys", createKey],
  ["GET", "/v1/admin/keys", listKeys, "keys"],
  ["PUT", "/v1/admin/keys/:key", updateKey],
  ["DELETE", "/v1/admin/keys/:key", revokeKey],
  ["GET", "/v1/admin/plans", listPlans, "plans"],
  ["GET", "/v1/admin/audit/logs", listInstallation],
  ["GET", "/v1/admin/audit/logs/:record", showOfInstallation],
];

export const administrationRoutes: readonly AdministrationRoute[] = bindRoutes();

/** The routes of the API reference. */
export const apiRoutes: readonly ApiRoute[] = [...routes, ...administrationRoutes];

/** @throws Error unless every operation that an administration key may perform has exactly one route. */
function bindRoutes(): AdministrationRoute[] {
  const bound = table.map(([, , { name }]) => name);
  const permitted = [...administrationKeyOperations];
  if (bound.toSorted().join() !== permitted.toSorted().join())
    throw new Error(`the routes are those of ${bound.join(", ")}, and permitted are ${permitted.join(", ")}`);
  return table.map(([method, path, operation, list]) => {
    const route = { method, path, operation };
    return list === undefined ? route : { ...route, operation: withNamedList(operation, list), list };
  });
}

/** As the API reference describes it. */
function withNamedList({ output, example, ...operation }: InstallationOperation, list: string) {
  if (output === null || example === undefined) throw new Error(`${operation.name} answers no list`);
  return {
    ...operation,
    output: Fields({ [list]: output }, { title: `${output.items.title}List` }),
    example: { ...example, data: { [list]: example.data } },
  };
}

/** The answer with its list in an object. A refusal stays as it is. */
export function nameList(answer: Answer, list: string | undefined): Answer {
  if (list === undefined || answer.code !== successCode) return answer;
  return { ...answer, data: `{"${list}":${answer.data}}` };
}
