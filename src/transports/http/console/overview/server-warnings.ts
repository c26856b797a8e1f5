// Owns the warnings about the server itself: readiness, failures, its address and its clock.

import { clockBehindMs } from "../../../../platform/limits.ts";
import { counted } from "../../../../platform/text/plural.ts";
import { quoteWord } from "../../../../platform/text/shell-word.ts";
import { logRemedy, type WarningRule } from "./warning.ts";

export const serverWarnings: readonly WarningRule[] = [
  {
    code: "not_ready",
    severity: "critical",
    when: "the server cannot perform calls, as /health/ready answers",
    find: ({ readiness }) =>
      readiness === null || readiness.ready
        ? null
        : {
            message: `The server cannot perform calls: ${readiness.reasons.join("; ")}.`,
            remedy: `Correct the cause, such as a full disk or missing permissions; the server checks again automatically. ${logRemedy}`,
          },
  },
  {
    code: "internal_errors",
    severity: "warning",
    when: "calls were answered with the code 1500 in the last 15 minutes",
    find: ({ internalErrors }) =>
      internalErrors === 0
        ? null
        : {
            message: `${counted(internalErrors, "call")} failed with an internal error in the last 15 minutes.`,
            remedy: `${logRemedy} Search it for "incident", and report the error.`,
          },
  },
  {
    code: "memory_missing",
    severity: "warning",
    when: "requests to the gateway did not get their memory in the last 15 minutes: it was not found in time, or the injection failed",
    find: ({ memoryMisses: { late, failed } }) =>
      late + failed === 0
        ? null
        : {
            message: `${counted(late + failed, "request")} to the gateway did not get their memory in the last 15 minutes: ${late} because it was not found in time, ${failed} because the injection failed.`,
            remedy: `${late === 0 ? "" : "Increase memory-deadline-ms of the upstream, or reduce the load. "}${logRemedy} Search it for "did not get".`,
          },
  },
  {
    code: "thread_restarted",
    severity: "notice",
    when: "a thread of the server was started again in the last 15 minutes",
    find: ({ restartedThread }) =>
      restartedThread === null
        ? null
        : {
            message: `The thread ${restartedThread} ended or did not answer, and was started again.`,
            remedy: logRemedy,
          },
  },
  {
    code: "directory_accessible",
    severity: "warning",
    when: "other users of the machine can access the data directory",
    find: ({ isAccessibleToOthers, dataDir }) =>
      isAccessibleToOthers
        ? {
            message: `The data directory ${dataDir} is accessible to other users.`,
            remedy: `Remove their access: chmod 700 ${quoteWord(dataDir)}`,
          }
        : null,
  },
  {
    code: "no_tls",
    severity: "warning",
    when: "the server accepts calls from other machines without TLS",
    find: ({ addressWarning }) =>
      addressWarning === null
        ? null
        : {
            message:
              "The server accepts calls from other machines without TLS: everyone on the network can read API keys and texts.",
            remedy:
              "Set --tls-cert and --tls-key, or put a proxy with TLS in front of the server and set --trusted-proxies to its address.",
            view: "/console/settings",
          },
  },
  {
    code: "certificate_ends",
    severity: "warning",
    when: "the TLS certificate should be renewed: it expires within 14 days or a fifth of its life, or has expired",
    find: ({ certificate }) =>
      certificate === null || certificate.ending === null
        ? null
        : {
            message: `${certificate.ending}.`,
            remedy:
              "Renew the certificate, then send SIGHUP to the server: it reads the files again and keeps all connections.",
          },
  },
  {
    code: "clock_jumped",
    severity: "warning",
    when: "the system clock is ahead of the time that retention uses by more than a minute",
    find: ({ groups }) =>
      groups === null || groups.retentionClockAheadMs <= clockBehindMs
        ? null
        : {
            message: `The system clock jumped forward by ${counted(Math.round(groups.retentionClockAheadMs / 60_000), "minute")}. Retention does not trust it for one day, so old records are removed later.`,
            remedy: "Check the clock of this machine. If it is correct, no action is needed.",
          },
  },
];
