// The limits of lines about failed calls: a client in a loop, or thousands of addresses, cannot fill the disk, and cannot hide others.

import { expect, test } from "bun:test";
import { createCallStatistics } from "../../../src/calls/statistics/call-statistics.ts";
import type { LogFields, Logger } from "../../../src/platform/log/logger.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../../src/platform/time/clock-shift.ts";
import { createCallLog } from "../../../src/transports/http/call-log.ts";
import {
  failureLinesOfCodeMax,
  failureLinesOfKeyMax,
  failureSummaryEveryMs,
} from "../../../src/transports/http/limits.ts";

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

function open() {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields });
  const logger: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const shift = createClockShift();
  const clock = createClock(shift);
  const log = createCallLog({ logger, clock, statistics: createCallStatistics(), isAccessLogged: false });
  const fail = (code: number, status: number, key: string | null, address = "10.0.0.1") =>
    log.log({
      method: "GET",
      path: "/v1/memories",
      operation: "memory.list",
      status,
      code,
      record: null,
      durationMs: 1,
      bytes: () => 0,
      project: key === null ? null : "p",
      key,
      address,
    });
  return {
    lines,
    fail,
    close: () => log.close(),
    passMinute() {
      passTime(shift, failureSummaryEveryMs);
      clock.catchUp();
    },
    take: (message: string) =>
      lines.splice(0).flatMap((line) => (line.message === message ? [line.fields] : [])),
  };
}

test("a key has ten lines of a code a minute, the others are counted, and it has ten again after that", () => {
  const { fail, take, passMinute, close } = open();
  for (let sent = 0; sent < 500; sent++) fail(1429, 429, "loop");
  fail(1429, 429, "quiet");
  fail(1400, 400, "loop");
  expect(take("call refused").map(({ code, key }) => [code, key])).toEqual([
    ...Array.from({ length: failureLinesOfKeyMax }, () => [1429, "loop"]),
    [1429, "quiet"],
    [1400, "loop"],
  ]);
  passMinute();
  expect(take("calls refused")).toEqual([
    expect.objectContaining({
      code: 1429,
      calls: 490,
      by: [expect.objectContaining({ key: "loop", calls: 490 })],
    }),
  ]);
  for (let sent = 0; sent < 500; sent++) fail(1429, 429, "loop");
  expect(take("call refused")).toHaveLength(failureLinesOfKeyMax);
  close();
});

test("all keys together have a hundred lines of a code a minute", () => {
  const { fail, take, close } = open();
  for (let key = 0; key < 1_000; key++) fail(1503, 503, `key ${key}`);
  expect(take("call failed")).toHaveLength(failureLinesOfCodeMax);
  close();
  expect(take("calls failed")).toEqual([expect.objectContaining({ code: 1503, calls: 900 })]);
});

test("without a valid key, the first one of a code has a line, again after a minute without one", () => {
  const { fail, take, passMinute, close } = open();
  const flood = () => {
    for (let from = 0; from < 200; from++) fail(1401, 401, null, `10.0.${from}.1`);
  };
  flood();
  expect(take("call refused")).toHaveLength(1);
  passMinute();
  flood();
  // Calls with a key do not let the others have a line earlier.
  fail(1401, 401, "revoked");
  expect(take("call refused").map(({ key }) => key)).toEqual(["revoked"]);
  passMinute();
  fail(1401, 401, "revoked");
  passMinute();
  take("");
  flood();
  expect(take("call refused")).toHaveLength(1);
  close();
});

test("4xx is for the caller (info), 503 and 2103 are for the operator (warn), 1500 is a bug (error)", () => {
  const { fail, lines, close } = open();
  for (const [code, status] of [
    [1400, 400],
    [1429, 429],
    [1503, 503],
    [2103, 500],
    [1500, 500],
  ] as const)
    fail(code, status, "key");
  expect(lines.map(({ level, message, fields }) => [fields.code, level, message])).toEqual([
    [1400, "info", "call refused"],
    [1429, "info", "call refused"],
    [1503, "warn", "call failed"],
    [2103, "warn", "call failed"],
    [1500, "error", "call failed"],
  ]);
  close();
});
