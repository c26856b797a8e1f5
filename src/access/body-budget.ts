// Owns the limits on bytes of request bodies in memory: for each project, so that one project cannot use all of it, and for all
// projects, so that the memory of the process is limited. A body counts from its first byte until its call is answered.

import { Refusal, unavailable } from "../platform/errors.ts";
import { bodiesMaxBytes, bodiesMaxBytesPerProject } from "../platform/limits.ts";

/** The bytes of one call. */
export interface BodyClaim {
  /** @throws Refusal 1429 when the bodies of the project exceed its limit, 1503 when all bodies exceed the limit of the server */
  take(bytes: number): void;
}

/** For bodies that are not limited. */
export const uncountedBody: BodyClaim & Disposable = { take() {}, [Symbol.dispose]() {} };

/** Creates a claim for a call of the project with this id. Disposing it releases the bytes. */
type BodyBudget = (project: string) => BodyClaim & Disposable;

export function createBodyBudget({
  maxBytes = bodiesMaxBytes,
  maxBytesPerProject = bodiesMaxBytesPerProject,
} = {}): BodyBudget {
  const bytesByProject = new Map<string, number>();
  let bytesInAll = 0;
  const add = (project: string, bytes: number) => {
    bytesInAll += bytes;
    const ofProject = (bytesByProject.get(project) ?? 0) + bytes;
    if (ofProject === 0) bytesByProject.delete(project);
    else bytesByProject.set(project, ofProject);
  };
  return (project) => {
    let taken = 0;
    return {
      take(bytes) {
        if ((bytesByProject.get(project) ?? 0) + bytes > maxBytesPerProject)
          throw tooMuchOfProject(maxBytesPerProject);
        if (bytesInAll + bytes > maxBytes) throw tooMuch(maxBytes);
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
  const message = `The bodies of the project's running calls exceed ${maxBytes} bytes. Send fewer calls at once.`;
  return new Refusal(1429, message, { limit_bytes: maxBytes }, 1);
}

function tooMuch(maxBytes: number): Refusal {
  return unavailable(`The bodies of all running calls exceed ${maxBytes} bytes. Retry the call.`);
}

/** 1413 */
export function bodyTooLarge(maxBytes: number): Refusal {
  const message = `The body is larger than ${maxBytes} bytes. Split it into several calls.`;
  return new Refusal(1413, message, { limit_bytes: maxBytes });
}
