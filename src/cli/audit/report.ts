// Owns the output of a verification: text that says what to do next, and the object that is printed with --json.

import { adviceText, failureText, headline, removalText } from "../../audit/verify/report-text.ts";
import { type ChainReport, type Report, verdicts } from "../../audit/verify/verdict.ts";
import { type PolicyFinding, type SeenTree, summarise } from "../../audit/witness/policy-evidence.ts";
import { counted } from "../../platform/text/plural.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import { table } from "../terminal.ts";
import { type Evidence, inputNames, type PolicyEvidence, type Subject } from "./evidence.ts";
import { type StampedCheckpoint, stampsData, stampsText } from "./stamped-checkpoints.ts";

export interface Verification {
  readonly subject: Subject;
  readonly evidence: Evidence;
  readonly finding: Report;
  readonly stamps: readonly StampedCheckpoint[];
}

export function toData({ subject, evidence, finding, stamps }: Verification) {
  const { verdict, records, failure, contradiction, remarks } = finding;
  return {
    verdict,
    exit_code: verdicts[verdict],
    path: subject.path,
    kind: subject.kind,
    records,
    failure,
    contradiction,
    chains: finding.chains.map(chainData),
    public_key: { source: evidence.keySource, keys: evidence.keys },
    remarks,
    ...policyData(evidence.policy, finding),
    ...(stamps.length === 0 ? {} : { timestamps: stampsData(stamps) }),
  };
}

/** Only with a policy. */
function policyData(given: PolicyEvidence | null, finding: Report) {
  if (given === null) return {};
  const seen = (tree: SeenTree | null) => tree && { tree_size: tree.leaves, at: toTimestamp(tree.at) };
  const found = policyFindings(given, finding);
  const chains = found.map(({ chain, satisfied, witnesses }) => ({
    chain,
    satisfied: seen(satisfied),
    witnesses: witnesses.map(({ name, key, first, newest }) => ({
      name,
      key,
      first: seen(first),
      newest: seen(newest),
    })),
  }));
  return {
    policy: {
      source: given.source,
      quorum: given.policy.quorum,
      satisfied: found.every(({ isSatisfied }) => isSatisfied),
      chains,
    },
  };
}

/** Of the chains that have records. */
function policyFindings({ policy, judged }: PolicyEvidence, { chains }: Report): readonly PolicyFinding[] {
  return chains
    .filter(({ records }) => records > 0)
    .map(({ chain, coveredThrough }) =>
      summarise({ chain, isCovered: coveredThrough !== null }, judged, policy),
    );
}

function policyText(given: PolicyEvidence, finding: Report): string {
  const found = policyFindings(given, finding);
  const open = found.filter(({ isSatisfied }) => !isSatisfied).length;
  const verdict =
    open === 0
      ? `The policy ${given.source} is satisfied.`
      : `The policy ${given.source} is NOT satisfied for ${counted(open, "chain")}: its quorum, ${given.policy.quorum}, has not signed.`;
  const seen = ({ leaves, at }: SeenTree) => `${leaves} leaves at ${toTimestamp(at)}`;
  const lines = found.flatMap(({ chain, satisfied, witnesses }) => [
    `Chain ${chain}: ${satisfied === null ? "not signed by enough witnesses" : `signed by enough witnesses up to ${seen(satisfied)}`}.`,
    ...witnesses.map(({ name, first, newest }) =>
      first === null || newest === null
        ? `  ${name} has not signed it.`
        : `  ${name} has signed it since ${seen(first)}, last ${seen(newest)}.`,
    ),
  ]);
  return [verdict, ...lines].join("\n");
}

function chainData(report: ChainReport) {
  const { chain, project, records, checkpoints, anchors, uncoveredRecords, failure, contradiction } = report;
  return {
    chain,
    project,
    records,
    appended: report.appended,
    first_seq: report.firstSeq,
    last_seq: report.lastSeq,
    without_payload: report.withoutPayload,
    checkpoints,
    anchors,
    attested_through: report.coveredThrough,
    tail: uncoveredRecords,
    removed_in_tail: report.uncoveredRemovals,
    failure,
    contradiction,
  };
}

export function toText({ subject, evidence, finding, stamps }: Verification): string {
  const { chains, remarks } = finding;
  const parts = [`${headline(finding)}\n${subject.path}`];
  const check = finding.failure?.check;
  if (evidence.keyAdvice !== null && (check === "signature" || check === "manifest"))
    parts.push(evidence.keyAdvice);
  if (chains.length > 0) parts.push(chainTable(chains));
  const failures = failureText(finding);
  if (failures !== "") parts.push(failures);
  parts.push(
    adviceText({ kind: subject.kind, refusedOutside: evidence.refusedOutside }, finding, inputNames),
  );
  if (evidence.policy !== null) parts.push(policyText(evidence.policy, finding));
  if (stamps.length > 0) parts.push(stampsText(stamps));
  parts.push(...chains.flatMap(removalText));
  const notices = [
    `Public key: ${evidence.keys.join(", ") || "none, so no signature was checked"}`,
    ...remarks,
  ];
  parts.push(notices.join("\n"));
  return parts.join("\n\n");
}

function chainTable(chains: readonly ChainReport[]): string {
  return table(
    [
      "project",
      "records",
      "appended",
      "from",
      "to",
      "payloads removed",
      "checkpoints",
      "covered up to",
      "not covered",
      "",
    ],
    chains.map((chain) => [
      chain.project ?? "(installation)",
      chain.records,
      chain.appended,
      chain.firstSeq,
      chain.lastSeq,
      chain.withoutPayload,
      chain.checkpoints,
      chain.coveredThrough,
      chain.uncoveredRecords,
      chain.failure !== null
        ? "BROKEN"
        : chain.contradiction !== null
          ? chain.contradiction.kind.toUpperCase()
          : "ok",
    ]),
  );
}
