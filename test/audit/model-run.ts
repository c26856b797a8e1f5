// One random life of a server, which depends on its seed alone, compared with the model after every call and judged at its end.

import { createRandom } from "../../bench/texts.ts";
import { createProject } from "../../src/calls/operations/access/project-operations.ts";
import { Model, ModelProject, type PlanName } from "./model.ts";
import { administer, administration, makeKey, restart } from "./model-administration.ts";
import { chance, equal, pick, type Run } from "./model-call.ts";
import { ledgerCalls } from "./model-ledger.ts";
import { count, createCheck, deleteCheck, deleteMany, history, updateMany, useChecks } from "./model-many.ts";
import { list, memoryCalls, search } from "./model-memories.ts";
import { ModelServer } from "./model-server.ts";
import { useSession } from "./model-session.ts";

interface Life {
  readonly steps: number;
  readonly records: number;
  /** How often what happened. */
  readonly seen: ReadonlyMap<string, number>;
}

/** @throws Error with seed and step when server and model disagree, or the ledger does not hold. */
export async function live({
  seed,
  steps,
}: {
  readonly seed: number;
  readonly steps: number;
}): Promise<Life> {
  const server = new ModelServer();
  const random = createRandom(seed);
  const run: Run = { server, random, model: new Model(), notes: [], seen: new Map() };
  let step = 0;
  try {
    await begin(run);
    for (; step < steps; step++) await act(run);
    for (const project of run.model.projects) await lookAtEverything(run, project);
    await restart(run);
    for (const project of run.model.projects) await lookAtEverything(run, project);
    equal(server.complaints, [], "warnings and errors of the server");
    const records = run.model.chains.reduce((sum, chain) => sum + chain.records.length, 0);
    return { steps, records, seen: run.seen };
  } catch (error) {
    throw new Error(`with seed ${seed}, at step ${step}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  } finally {
    await server.remove();
  }
}

/** The first start makes a project, a key and a sign-in link by itself. */
async function begin(run: Run): Promise<void> {
  await run.server.start();
  for (const action of ["project.create", "key.create", "session.link"]) {
    const at = run.server.now();
    run.model.installation.append({ action, status: 201, code: 1000, key: null, memory: null, at, text: "" });
  }
  for (const plan of ["custom", "business", "basic"] satisfies PlanName[]) {
    const { id } = await administer(run, createProject, { name: `on ${plan}`, plan }, { status: 201 });
    const project = new ModelProject(String(id), plan);
    run.model.projects.push(project);
    await makeKey(run, project);
  }
}

const otherCalls = [
  [5, updateMany],
  [2, deleteMany],
  [2, count],
  [3, history],
  [3, createCheck],
  [1, deleteCheck],
  [2, useChecks],
  [2, useSession],
] as const;

async function act(run: Run): Promise<void> {
  const project = pick(run, run.model.projects);
  const kind = run.random() * 100;
  if (kind >= 82) return void (await weighted(run, administration)(run, project));
  const [first] = project.keys;
  const key = first !== undefined && chance(run, 70) ? first : pick(run, project.keys);
  const calls = kind < 42 ? memoryCalls : kind < 56 ? otherCalls : ledgerCalls;
  await weighted(run, calls)(run, project, key);
}

function weighted<Act>(run: Run, choices: readonly (readonly [weight: number, act: Act])[]): Act {
  let rest = run.random() * choices.reduce((sum, [weight]) => sum + weight, 0);
  const found = choices.find(([weight]) => {
    rest -= weight;
    return rest < 0;
  });
  return (found ?? pick(run, choices))[1];
}

async function lookAtEverything(run: Run, project: ModelProject): Promise<void> {
  const [key] = project.keys;
  if (key === undefined) return;
  for (let times = 0; times < 3; times++) {
    await list(run, project, key);
    await search(run, project, key);
  }
}
