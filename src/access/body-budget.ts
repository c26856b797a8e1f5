// Owns how many bytes of request bodies are held in memory: per project, so that one leaves room for the others, and in all, so
// that the process keeps its size. In memory only; a body is counted from its first byte until its call is answered.

import { Refusal, unavailable } from "../errors.ts";
import { bodiesMaxBytes, bodiesMaxBytesPerProject } from "../limits.ts";

/** The bytes of one call. */
export interface BodyClaim {
  /** @throws Refusal 1429 when the project holds too many bytes already, 1503 when all projects together do. */
  take(bytes: number): void;
}

/** Of bodies that are not limited. */
export const uncountedBody: BodyClaim = { take() {} };

/** Opens a claim for a call of the project with this id; disposing it gives the bytes back. */
export type BodyBudget = (project: string) => BodyClaim & Disposable;

export function createBodyBudget({
  maxBytes = bodiesMaxBytes,
  maxBytesPerProject = bodiesMaxBytesPerProject,
} = {}): BodyBudget {
  const heldByProject = new Map<string, number>();
  let held = 0;
  const add = (project: string, bytes: number) => {
    held += bytes;
    const ofProject = (heldByProject.get(project) ?? 0) + bytes;
    if (ofProject === 0) heldByProject.delete(project);
    else heldByProject.set(project, ofProject);
  };
  return (project) => {
    let taken = 0;
    return {
      take(bytes) {
        if ((heldByProject.get(project) ?? 0) + bytes > maxBytesPerProject)
          throw tooMuchOfProject(maxBytesPerProject);
        if (held + bytes > maxBytes) throw tooMuch(maxBytes);
        taken += bytes;
        add(project, bytes);
      },
      [Symbol.dispose]() {
        add(project, -taken);
        taken = 0;
      },
    };
  };
}

function tooMuchOfProject(maxBytes: number): Refusal {
  const message = `The bodies of this project's running calls exceed ${maxBytes} bytes. Send fewer calls at once.`;
  return new Refusal(1429, message, { limit_bytes: maxBytes }, 1);
}

function tooMuch(maxBytes: number): Refusal {
  return unavailable(
    `The bodies of all running calls exceed ${maxBytes} bytes. Send the call again in a moment.`,
  );
}

/** 1413 */
export function bodyTooLarge(maxBytes: number): Refusal {
  const message = `The body is larger than ${maxBytes} bytes. Send less in one call.`;
  return new Refusal(1413, message, { limit_bytes: maxBytes });
}
