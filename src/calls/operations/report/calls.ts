// Owns what a report says of operations and of the numbers of their calls. The register of operations is the only source.

import type { ActionCount, LoggedAction, RefusalCount } from "../../../audit/report/report.ts";
import { errorMeaning } from "../../../platform/errors.ts";
import type { Operation } from "../../contract/operation.ts";
import type { CountedCalls } from "../../storage/report-store.ts";
import { openSession } from "../access/session-operations.ts";

export function toLogged(operations: readonly Operation[]): LoggedAction[] {
  return operations.map((operation) => ({
    action: operation.name,
    summary: operation.summary,
    scope: operation.scope,
    effect: effectOf(operation),
    withheld: [...(operation.unrecorded ?? [])],
    answer: answerOf(operation),
  }));
}

function effectOf({ effects }: Operation): LoggedAction["effect"] {
  if (effects.readOnly) return "reads";
  return effects.destructive ? "changes or removes" : "adds";
}

function answerOf(operation: Operation): LoggedAction["answer"] {
  if ("secret" in operation && operation.secret) return "a secret: not recorded";
  if (operation.answersWithRecords === true) return "audit records: not recorded";
  return operation.output === null ? "none, or a file: not recorded" : "recorded";
}

/** In the order of their names; those that the server has performed first. */
export function toActions(counted: readonly CountedCalls[]): ActionCount[] {
  const groups = Map.groupBy(counted, ({ action, isOwn }) => `${isOwn ? 0 : 1} ${action}`);
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, members]) => {
      const [first] = members;
      if (first === undefined) return [];
      const succeeded = sumOf(members.filter(({ isSuccess }) => isSuccess));
      const refused = sumOf(members) - succeeded;
      return [{ action: first.action, performed: first.isOwn, succeeded, refused }];
    });
}

/** Of calls that the server has refused, by their code. */
export function toRefusals(counted: readonly CountedCalls[]): RefusalCount[] {
  const refused = counted.filter(({ isSuccess, isOwn }) => isOwn && !isSuccess);
  return [...Map.groupBy(refused, ({ code }) => code)]
    .toSorted(([one], [other]) => (one ?? 0) - (other ?? 0))
    .map(([code, members]) => ({
      code,
      meaning: meaningOf(code),
      count: sumOf(members),
      sign_ins: sumOf(members.filter(({ action }) => action === openSession.name)),
    }));
}

export function sumOf(counted: readonly Pick<CountedCalls, "count">[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0);
}

function meaningOf(code: number | null): string {
  const found = Object.entries(errorMeaning).find(([each]) => Number(each) === code);
  return found?.[1] ?? "a code of another version";
}
