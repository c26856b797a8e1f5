// Owns the settings of earlier versions that have no effect any more. They are accepted, so that an upgrade never prevents a start, and the
// server logs those that are set.

import { type Setting, whole } from "./setting.ts";

const most = Number.MAX_SAFE_INTEGER;

export const retiredSettings: readonly Setting<unknown>[] = [
  whole(
    { name: "gateway.cache-seconds", description: "no effect: the gateway repeats no answers" },
    0,
    0,
    most,
  ),
  whole({ name: "gateway.cache-mb", description: "no effect: the gateway repeats no answers" }, 0, 0, most),
];
