// Owns the open groups of the searcher: each has a connection with one read transaction, from its begin until its outcomes or its end.
// Must never know how a search is answered.

import type { Database } from "../../../../platform/native/sqlite.ts";
import { idleConnectionsMax } from "../limits.ts";
import type { GroupRequest, Step } from "../steps/group-steps.ts";
import type { GroupSteps } from "../steps/turns.ts";

/** A connection of its own, and what is prepared on it. */
export interface GroupConnection {
  readonly database: Database;
  /** Called within a read transaction of the connection. */
  answer(project: string, requests: readonly GroupRequest[]): GroupSteps;
  /** As `answer`, for the request `preload`. */
  preload(project: string, bytes: number): GroupSteps;
}

export interface OpenGroups {
  /** `number` is of no open group. @throws as `answer` does; the group is closed then */
  begin(number: number, project: string, requests: readonly GroupRequest[]): Step;
  /** As `begin`. */
  preload(number: number, project: string, bytes: number): Step;
  /** Null: the group is not open, because the searcher was restarted. @throws as `begin` does */
  continue(number: number, results: readonly unknown[]): Step | null;
  /** A group that is not open is ignored. */
  end(number: number): void;
}

interface OpenGroup {
  readonly connection: GroupConnection;
  readonly steps: GroupSteps;
}

export function createOpenGroups(connect: () => GroupConnection): OpenGroups {
  const open = new Map<number, OpenGroup>();
  const idle = [connect()];

  const release = (connection: GroupConnection): void => {
    if (connection.database.inTransaction) connection.database.exec("COMMIT");
    if (idle.length < idleConnectionsMax) idle.push(connection);
    else connection.database.close();
  };
  const close = (number: number): void => {
    const group = open.get(number);
    if (group === undefined) return;
    open.delete(number);
    try {
      group.steps.return([]);
    } finally {
      release(group.connection);
    }
  };
  const advance = (number: number, { steps }: OpenGroup, results: readonly unknown[]): Step => {
    let isOpen = false;
    try {
      const { done, value } = steps.next(results);
      if (done === true) return { outcomes: value };
      isOpen = true;
      return { work: value };
    } finally {
      if (!isOpen) close(number);
    }
  };
  const begin = (number: number, stepsOf: (connection: GroupConnection) => GroupSteps): Step => {
    const connection = idle.pop() ?? connect();
    connection.database.exec("BEGIN");
    const group = { connection, steps: stepsOf(connection) };
    open.set(number, group);
    return advance(number, group, []);
  };
  return {
    begin: (number, project, requests) => begin(number, ({ answer }) => answer(project, requests)),
    preload: (number, project, bytes) => begin(number, ({ preload }) => preload(project, bytes)),
    continue(number, results) {
      const group = open.get(number);
      return group === undefined ? null : advance(number, group, results);
    },
    end: close,
  };
}
