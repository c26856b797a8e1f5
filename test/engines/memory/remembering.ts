// The answers to remember of the test engine. What removes something of a payload removes its task: tasks without one are not found.

import type { RememberQueue, RememberTransaction } from "../../../src/calls/storage/remember-store.ts";
import type { RememberTask } from "../../../src/memory/remembering/task.ts";
import type { Data } from "./data.ts";
import { toPlace } from "./ledger.ts";

export type TaskRow = Omit<RememberTask, "action">;

export function createRememberQueue(data: Data): RememberQueue {
  const { tasks, inTurn } = data;
  return {
    count: ({ id }) => inTurn(() => present(data).filter(({ project }) => project === id).length),
    nextAfter: (project) =>
      inTurn(() => {
        const later = present(data).filter((task) => project === null || task.project > project);
        return later.toSorted(inOrder)[0] ?? null;
      }),
    begin: ({ record, part }) =>
      inTurn(() => {
        const row = tasks.get(record);
        if (row?.part !== part) return false;
        tasks.set(record, { ...row, attempts: row.attempts + 1 });
        return true;
      }),
    remove: (record) => inTurn(() => void tasks.delete(record)),
  };
}

export function createRememberTransaction(data: Data): RememberTransaction {
  const { tasks } = data;
  return {
    async add(task) {
      const subject =
        task.subject === null
          ? null
          : { id: task.subject, name: data.subjects.get(task.subject)?.name ?? "" };
      tasks.set(task.record, { ...task, subject, conversation: null, part: 0, attempts: 0 });
    },
    isDue: async ({ record, part }) =>
      present(data).some((task) => task.record === record && task.part === part),
    async settle({ record }, remainder) {
      const row = tasks.get(record);
      if (row === undefined || remainder === "again") return;
      if (remainder === "nothing") tasks.delete(record);
      else tasks.set(record, { ...row, part: row.part + 1, attempts: 0 });
    },
    async removeAll({ id }) {
      for (const { record, project } of tasks.all()) if (project === id) tasks.delete(record);
    },
  };
}

function present({ tasks, records }: Data): RememberTask[] {
  return tasks.all().flatMap((task) => {
    const row = records.all().find((each) => each.id === task.record && toPlace(each).isWhole);
    return row === undefined ? [] : [{ ...task, action: row.action }];
  });
}

function inOrder(a: RememberTask, b: RememberTask): number {
  if (a.project !== b.project) return a.project < b.project ? -1 : 1;
  return a.attempts - b.attempts || (a.record < b.record ? -1 : 1);
}
