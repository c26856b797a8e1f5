// Owns which sections the page of a report has. Pure: the same report gives the same sections.

import {
  actions,
  administration,
  backups,
  erasures,
  keys,
  logged,
  models,
  refusals,
} from "./call-sections.ts";
import { attestations, coverage, retention, summary } from "./ledger-sections.ts";
import type { Report } from "./report.ts";
import type { Section } from "./section.ts";
import { standardRows, unpublished } from "./standards.ts";

export function sectionsOf(report: Report): readonly Section[] {
  const ofCalls = [coverage, retention, attestations, actions, refusals, erasures];
  const ofInstallation = report.subject === null ? [administration, keys, models, backups] : [];
  const facts = [...ofCalls, ...ofInstallation, logged].map((make) => make(report));
  // The longest one is the last.
  return [summary(report), ...facts.slice(0, -1), standards(facts), howToVerify(), ...facts.slice(-1)];
}

function standards(facts: readonly Section[]): Section {
  const titleOf = (id: string) => facts.find((section) => section.id === id)?.title ?? "not in this report";
  return {
    id: "standards",
    title: "Where rules ask for this",
    blocks: [
      {
        text: "The table says which sections concern a rule, what they show, and what the operator must answer. It is no legal advice, and no statement that anything complies.",
      },
      {
        head: ["rule", "it asks for", "sections", "shown here", "not shown here"],
        rows: standardRows.map(({ rule, asks, sections, shows, leaves }) => [
          rule,
          asks,
          [...new Set(sections.map(titleOf))].join("; "),
          shows,
          leaves,
        ]),
        none: "",
      },
      { text: unpublished },
    ],
  };
}

function howToVerify(): Section {
  return {
    id: "verify",
    title: "How to verify this report",
    blocks: [
      {
        text: "This file contains the report as JSON, its signature, and the checkpoints and anchors that it names. With the public key of the ledger, from a source that you trust, a program on any machine says whether it was changed, and whether this page shows what was signed:",
      },
      { command: "memledger audit verify-report REPORT --public-key audit.pub" },
      {
        text: "It counts as a checkpoint that you have kept: with a copy of the database, the same program says whether the records are still those of this report.",
      },
      { command: "memledger audit verify-report REPORT --public-key audit.pub --against DATABASE" },
    ],
  };
}
