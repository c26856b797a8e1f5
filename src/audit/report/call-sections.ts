// Owns what the page of a report says about calls: what is logged, what was called, refused, administered and erased. Pure.

import { counted } from "../../platform/text/plural.ts";
import type { Report, ReportedRecord } from "./report.ts";
import type { Block, Cell, Section } from "./section.ts";

export function logged({ logged: operations, version }: Report): Section {
  return {
    id: "logged",
    title: "What is logged, and where it is defined",
    blocks: [
      {
        text: `Every call of an operation appends one record, also if it only reads or is refused, in the same transaction as the change: if the record cannot be written, the call is not performed. Not recorded are calls that reach no operation, and calls that are refused because there were too many (1429). The list is the register of operations of memledger ${version}, from which the program performs and records all calls (src/calls/operations.ts). A record has the action, time, status, code and duration, the key and the sender, the request, and the answer as far as said here.`,
      },
      {
        head: ["action", "what it does", "of", "effect", "answer", "not in the record"],
        rows: operations.map(({ action, summary: what, scope, effect, answer, withheld }) => [
          action,
          what,
          scope,
          effect,
          answer,
          withheld.join(", "),
        ]),
        none: "Nothing.",
      },
    ],
  };
}

export function actions({ actions: counts }: Report): Section {
  return {
    id: "actions",
    title: "Calls",
    blocks: [
      {
        head: ["action", "succeeded", "refused", "recorded by"],
        rows: counts.map(({ action, succeeded, refused, performed }) => [
          action,
          succeeded,
          refused,
          performed ? "the server" : "a client: not verified by the server",
        ]),
        none: "No call in the period.",
      },
    ],
  };
}

export function refusals({ refusals: counts }: Report): Section {
  const signIns = counts.reduce((sum, each) => sum + each.sign_ins, 0);
  return {
    id: "refusals",
    title: "Refused calls and failed sign-ins",
    blocks: [
      {
        text: `${signIns === 0 ? "No failed attempt" : counted(signIns, "failed attempt")} to sign in to the console.`,
      },
      {
        head: ["code", "meaning", "calls", "of these, sign-ins"],
        rows: counts.map(({ code, meaning, count, sign_ins: each }) => [
          `${code ?? "none"}`,
          meaning,
          count,
          each,
        ]),
        none: "No call was refused.",
      },
      {
        text: "When there are too many calls without a valid key, only some have records of their own: each record with the code 1429 says how many others there were.",
      },
    ],
  };
}

const recordHead = ["time", "action", "who", "what", "set", "reason"];

function recordCells({ at, action, by, on, settings, reason, seq }: ReportedRecord): readonly Cell[] {
  return [at, `${action}\nrecord ${seq}`, by, on, settings, reason ?? "none given"];
}

function moreText(more: number): readonly Block[] {
  return more === 0 ? [] : [{ text: `${counted(more, "older record")} of the period not listed.` }];
}

function recordsOf({ administration: found }: Report, kinds: readonly ReportedRecord["kind"][]): Block {
  const records = (found?.records ?? []).filter(({ kind }) => kinds.includes(kind));
  return { head: recordHead, rows: records.map(recordCells), none: "None in the period." };
}

export function administration(report: Report): Section {
  const blocks = [recordsOf(report, ["other", "erasure"]), ...moreText(report.administration?.more ?? 0)];
  return { id: "administration", title: "Administration", blocks };
}

export function keys(report: Report): Section {
  return { id: "keys", title: "Changes of keys", blocks: [recordsOf(report, ["key"])] };
}

export function backups(report: Report): Section {
  return { id: "backups", title: "Backups", blocks: [recordsOf(report, ["backup"])] };
}

export function models(report: Report): Section {
  const rows = (report.models ?? []).map(({ use, name, sha256 }) => [
    use,
    name,
    sha256 ?? "not known to memledger",
  ]);
  return {
    id: "models",
    title: "Models",
    blocks: [
      { head: ["use", "model", "SHA-256"], rows, none: "The server has not been started with a model." },
      { text: "Changes of the model:" },
      recordsOf(report, ["model"]),
    ],
  };
}

export function erasures({ erasures: { records, more } }: Report): Section {
  return {
    id: "erasures",
    title: "Erasures",
    blocks: [
      {
        head: [...recordHead.slice(0, 3), "records", "pseudonyms", "reason"],
        rows: records.map(({ at, action, seq, by, whole, in_part: part, pseudonyms, reason }) => [
          at,
          `${action}\nrecord ${seq}`,
          by,
          `${whole} completely, ${part} in part`,
          pseudonyms.join("\n"),
          reason ?? "none given",
        ]),
        none: "None in the period.",
      },
      ...moreText(more),
    ],
  };
}
