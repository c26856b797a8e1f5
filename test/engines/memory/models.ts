// A change of the embedding model in the test engine: each memory keeps the vector of the next model beside its own.

import type { ModelTransaction, ModelVectors } from "../../../src/calls/storage/model-change-store.ts";
import { type Data, noSettings, type Settings } from "./data.ts";

export function createModelTransaction(data: Data): ModelTransaction {
  const { memories, settings } = data;
  const all = () => settings.get("all") ?? noSettings;
  const put = (change: Partial<Settings>) => settings.set("all", { ...all(), ...change });
  return {
    bound: async () => all().model,
    change: async () => all().modelChange,
    async begin(to, now) {
      for (const row of memories.all()) memories.set(row.memory.id, { ...row, nextVector: null });
      put({ modelChange: { to, startedAt: now, done: 0, failure: null } });
    },
    async retry() {
      const { modelChange } = all();
      if (modelChange !== null) put({ modelChange: { ...modelChange, failure: null } });
    },
    async cancel() {
      put({ modelChange: null });
    },
    async finish() {
      const { model, modelChange, previousModels } = all();
      const rows = memories.all();
      if (modelChange === null || rows.some(({ nextVector }) => nextVector === null)) return null;
      for (const row of rows)
        memories.set(row.memory.id, { ...row, vector: row.nextVector ?? row.vector, nextVector: null });
      const former = new Set([...previousModels, ...(model === null ? [] : [model.sha256])]);
      former.delete(modelChange.to.sha256);
      put({ model: modelChange.to, previousModels: [...former], modelChange: null });
      return rows.length;
    },
  };
}

export function createModelVectors(data: Data): ModelVectors {
  const { memories, settings } = data;
  const all = () => settings.get("all") ?? noSettings;
  return {
    bound: () => data.inTurn(() => all().model),
    change: () => data.inTurn(() => all().modelChange),
    count: () => data.inTurn(() => memories.all().length),
    findMissing: (limit) =>
      data.inTurn(() =>
        all().modelChange === null
          ? []
          : memories
              .all()
              .filter(({ nextVector }) => nextVector === null)
              .slice(0, limit)
              .map(({ memory: { id, content }, version }) => ({ memory: id, version, content })),
      ),
    add: ({ startedAt }, vectors) =>
      data.inTurn(() => {
        const { modelChange } = all();
        if (modelChange?.startedAt !== startedAt) return;
        for (const { memory, version, vector } of vectors) {
          const row = memories.get(memory);
          if (row?.version === version) memories.set(memory, { ...row, nextVector: vector });
        }
        const done = modelChange.done + vectors.length;
        settings.set("all", { ...all(), modelChange: { ...modelChange, done } });
      }),
    fail: ({ startedAt }, failure) =>
      data.inTurn(() => {
        const { modelChange } = all();
        if (modelChange?.startedAt === startedAt)
          settings.set("all", { ...all(), modelChange: { ...modelChange, failure } });
      }),
  };
}
