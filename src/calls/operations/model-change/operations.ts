// Owns the operations of a change of the embedding model: begin, the switch, cancel. Must never embed a text.

import { Type } from "@sinclair/typebox";
import { Refusal, unavailable } from "../../../platform/errors.ts";
import { Choice, Count, Fields, Nullable, Text, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { installationOperation } from "../../contract/operation.ts";
import type { ModelBinding, ModelChange } from "../../storage/model-change-store.ts";

const sha256 = Type.String({
  pattern: "^[0-9a-f]{64}$",
  description: "SHA-256 over all files of the model, hexadecimal.",
});
const model = Fields({
  id: Text({ maxLength: 200, description: "Name of the model." }),
  sha256,
  dimensions: Type.Integer({ minimum: 1, maximum: 65_536, description: "Dimensions of its vectors." }),
});
const memories = Count("Number of memories.");

export const beginModelChange = installationOperation({
  name: "model.begin_change",
  summary: "Begin a change of the embedding model",
  description:
    "Begins to compute the embeddings of all memories with another model. Searches use the previous embeddings until all are computed.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  input: Fields(model.properties),
  output: Fields({
    state: Choice(["started", "running", "finished"], {
      title: "ModelChangeState",
      description: "Whether the change began now, had begun before, or was finished before.",
    }),
    from: Nullable(model),
    to: model,
  }),

  async apply({ models }, to, { now }) {
    const from = await models.bound();
    const change = await models.change();
    if (change !== null && change.to.sha256 !== to.sha256) throw otherChange(change);
    if (change !== null) {
      await models.retry();
      return { data: { state: "running" as const, from, to: change.to }, after: [continueChange] };
    }
    if (from?.sha256 === to.sha256) return { data: { state: "finished" as const, from, to: from } };
    await models.begin(to, now);
    return { data: { state: "started" as const, from, to }, after: [continueChange] };
  },
});

const continueChange = { effect: "continue_model_change" } as const;
const removeVectors = { effect: "remove_unused_vectors" } as const;

export const changeModel = installationOperation({
  name: "model.change",
  summary: "Change the embedding model",
  description:
    "Replaces the embeddings of all memories by those of the new model, which a change has computed. The server itself performs it when all are computed.",
  effects: { readOnly: false, destructive: true, idempotent: false },
  input: Fields({ sha256 }),
  output: Fields({
    from: Nullable(model),
    to: model,
    memories,
    started_at: Timestamp({ description: "When the change began." }),
    finished_at: Timestamp({ description: "When the embeddings were replaced." }),
  }),

  async apply({ models }, { sha256: wanted }, { now }) {
    const from = await models.bound();
    const change = await models.change();
    if (change === null || change.to.sha256 !== wanted) throw noChange();
    const count = await models.finish();
    if (count === null) throw incomplete;
    const { to, startedAt } = change;
    const times = { started_at: toTimestamp(startedAt), finished_at: toTimestamp(now) };
    return { data: { from, to, memories: count, ...times }, after: [removeVectors] };
  },
});

export const cancelModelChange = installationOperation({
  name: "model.cancel_change",
  summary: "Cancel a change of the embedding model",
  description: "Ends a change of the embedding model. The model in use and its embeddings stay.",
  effects: { readOnly: false, destructive: true, idempotent: false },
  input: Fields({}),
  output: Fields({ model: Nullable(model), cancelled: model }),

  async apply({ models }) {
    const change = await models.change();
    if (change === null) throw noChange();
    await models.cancel();
    const data = { model: await models.bound(), cancelled: change.to };
    return { data, after: [continueChange, removeVectors] };
  },
});

const incomplete = unavailable(
  "Memories were created or changed that have no embedding of the new model yet. The server tries again.",
);

function noChange(): Refusal {
  return new Refusal(
    1400,
    "No change of the embedding model is in progress. Begin one with memledger reembed.",
  );
}

function otherChange({ to }: ModelChange): Refusal {
  return new Refusal(
    1400,
    `A change to the model ${describeModel(to)} is in progress. Wait until it is finished, or cancel it with memledger reembed --cancel.`,
    { model: to.id, sha256: to.sha256 },
  );
}

export function describeModel({ id, sha256 }: ModelBinding): string {
  return `${id} (sha256 ${sha256.slice(0, 12)})`;
}
