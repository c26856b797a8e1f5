// Owns which models requests contain, and which ones answers do: a request is written by a caller, an answer is read by one.

import type { Api } from "./api.ts";
import { type Model, referencesOf } from "./models.ts";

export interface Use {
  /** Names of the models in requests: the bodies, and what they refer to. */
  readonly requests: ReadonlySet<string>;
  readonly answers: ReadonlySet<string>;
}

export function useOf({ models, resources }: Api): Use {
  const methods = resources.flatMap((resource) => resource.methods);
  const fields = methods.flatMap(({ pathFields, queryFields }) => [...pathFields, ...queryFields]);
  return {
    requests: reach(models, [
      ...methods.flatMap(({ body }) => (body === null ? [] : [body.name])),
      ...fields.flatMap(({ type }) => referencesOf(type)),
    ]),
    answers: reach(
      models,
      methods.flatMap(({ answer }) => (answer.kind === "model" ? [answer.name] : [])),
    ),
  };
}

/** These models, and all that they refer to. */
function reach(models: readonly Model[], names: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    const model = models.find((each) => each.name === name);
    if (model?.kind === "object")
      for (const { type } of model.fields) for (const next of referencesOf(type)) visit(next);
  };
  for (const name of names) visit(name);
  return reached;
}
