// Owns the metrics of what the server contains: memories, ledger, projects, files, backups.

import type { DestinationState } from "../attesting/destination.ts";
import type { Facts } from "./facts.ts";
import { type Family, one, type Sample, time } from "./family.ts";
import { measuredProjectsMax } from "./limits.ts";

const contentFamilies: readonly Family[] = [
  {
    name: "memledger_memories",
    type: "gauge",
    help: "Memories of all projects, by type; passages of conversations have the type passage.",
    labels: ["type"],
    read: ({ contents }) =>
      contents?.memories.map(({ type, memories }) => ({ labels: { type }, value: memories })) ?? [],
  },
  {
    name: "memledger_projects",
    type: "gauge",
    help: "Projects that are not deleted.",
    read: ({ contents }) => one(contents?.projects),
  },
  {
    name: "memledger_exports",
    type: "gauge",
    help: "Exports that the database knows, by their status.",
    labels: ["status"],
    read: ({ contents }) =>
      contents?.exports.map(({ status, exports }) => ({ labels: { status }, value: exports })) ?? [],
  },
  {
    name: "memledger_remember_tasks",
    type: "gauge",
    help: "Answers of the gateway from which memories are still to be extracted.",
    read: ({ contents }) => one(contents?.rememberTasks),
  },
  {
    name: "memledger_ledger_records",
    type: "gauge",
    help: "Records of all chains that the database contains.",
    read: ({ contents }) => one(contents?.records),
  },
  {
    name: "memledger_ledger_unsigned_records",
    type: "gauge",
    help: "Records that no checkpoint covers yet.",
    read: ({ contents }) => one(contents?.unsignedRecords),
  },
  {
    name: "memledger_ledger_oldest_unsigned_timestamp_seconds",
    type: "gauge",
    help: "When the oldest record was written that no checkpoint covers. Absent if checkpoints cover all records.",
    read: ({ contents }) => time(contents?.oldestUnsignedAt),
  },
  {
    name: "memledger_checkpoint_timestamp_seconds",
    type: "gauge",
    help: "When the newest checkpoint of any chain was signed. Absent before the first one.",
    read: ({ contents }) => time(contents?.checkpointAt),
  },
  {
    name: "memledger_ledger_written_records_total",
    type: "counter",
    help: "Records that were written since the thread of the writer was started.",
    read: ({ groups }) => one(groups?.records),
  },
  {
    name: "memledger_ledger_written_bytes_total",
    type: "counter",
    help: "Bytes of these records: their entries and their compressed payloads.",
    read: ({ groups }) => one(groups?.recordBytes),
  },
  {
    name: "memledger_ledger_verified_timestamp_seconds",
    type: "gauge",
    help: "When a verification through the API has last reached the newest record of a chain without a failure. Absent if none has since the start.",
    read: ({ store }) => time(store.verifiedAt),
  },
  {
    name: "memledger_ledger_failed_chains",
    type: "gauge",
    help: "Chains whose last verification through the API found a failure.",
    read: ({ store }) => one(store.chainsWithFailure),
  },
];

const labels = ["kind", "party"];
const ofParty = ({ kind, name }: DestinationState) => ({ kind, party: name });

/** Only if a third party is configured. */
const attestationFamilies: readonly Family[] = [
  {
    name: "memledger_attestations_waiting",
    type: "gauge",
    help: "Chains whose newest checkpoint a third party has not attested, or a destination has not kept. Only with witness, timestamp-url or keep.",
    labels,
    read: ({ attestations }) => attestations.map((each) => ({ labels: ofParty(each), value: each.waiting })),
  },
  {
    name: "memledger_attestations_oldest_waiting_timestamp_seconds",
    type: "gauge",
    help: "When the oldest of these checkpoints was signed, or the first record made that is not kept. Absent if none waits.",
    labels,
    read: ({ attestations }) =>
      attestations.flatMap((each) =>
        time(each.oldestAt).map(({ value }) => ({ labels: ofParty(each), value })),
      ),
  },
  {
    name: "memledger_attestations_total",
    type: "counter",
    help: "Checkpoints that were sent to a third party or a destination, by what became of it: attested, failed (it could not be asked), refused.",
    labels: [...labels, "outcome"],
    read: ({ attestations }) =>
      attestations.flatMap((each) =>
        (["attested", "failed", "refused"] as const).map((outcome) => ({
          labels: { ...ofParty(each), outcome },
          value: each[outcome],
        })),
      ),
  },
  {
    name: "memledger_attestations_failing",
    type: "gauge",
    help: "Whether the last try has failed or was refused, such as for a folder whose disk is not mounted: 1 or 0.",
    labels,
    read: ({ attestations }) =>
      attestations.map((each) => ({ labels: ofParty(each), value: Number(each.failure !== null) })),
  },
  {
    name: "memledger_deposits_waiting_records",
    type: "gauge",
    help: "Records that a destination has not kept. Only with keep.",
    labels: ["party"],
    read: ({ attestations }) =>
      attestations.flatMap(({ name, records }) =>
        records === null ? [] : [{ labels: { party: name }, value: records }],
      ),
  },
];

/** Only with metrics-projects. */
const projectFamilies: readonly Family[] = [
  {
    name: "memledger_project_memories",
    type: "gauge",
    help: "Memories of a project. Only with metrics-projects.",
    labels: ["project", "type"],
    read: (facts) =>
      measuredProjects(facts).flatMap(({ project, memories }) =>
        memories.map(({ type, memories: value }) => ({ labels: { project, type }, value })),
      ),
  },
  {
    name: "memledger_project_ledger_records",
    type: "gauge",
    help: "Records of the chain of a project. Only with metrics-projects.",
    labels: ["project"],
    read: (facts) =>
      measuredProjects(facts).map(({ project, records }) => ({ labels: { project }, value: records })),
  },
  {
    name: "memledger_project_calls_total",
    type: "counter",
    help: "Calls of a project that were answered. Only with metrics-projects.",
    labels: ["project"],
    read: (facts) => {
      const calls = new Map(facts.calls.projects.map(({ project, calls: count }) => [project, count]));
      return measuredProjects(facts).map(
        ({ project }): Sample => ({ labels: { project }, value: calls.get(project) ?? 0 }),
      );
    },
  },
];

/** Those with the most records: a project that appears or disappears here must not depend on one call. */
const measuredProjects = ({ contents }: Facts) =>
  (contents?.ofProjects ?? [])
    .toSorted((a, b) => b.records - a.records || (a.project < b.project ? -1 : 1))
    .slice(0, measuredProjectsMax);

const fileFamilies: readonly Family[] = [
  {
    name: "memledger_database_bytes",
    type: "gauge",
    help: "Size of the database file.",
    read: ({ files }) => one(files?.databaseBytes),
  },
  {
    name: "memledger_database_free_bytes",
    type: "gauge",
    help: "Part of the database file that contains nothing and is used again.",
    read: ({ contents }) => one(contents?.freeBytes),
  },
  {
    name: "memledger_wal_bytes",
    type: "gauge",
    help: "Size of the file of the write-ahead log.",
    read: ({ files }) => one(files?.logBytes),
  },
  {
    name: "memledger_disk_free_bytes",
    type: "gauge",
    help: "Free space of the file system of the data directory.",
    read: ({ disk }) => one(disk?.freeBytes),
  },
  {
    name: "memledger_disk_bytes",
    type: "gauge",
    help: "Size of the file system of the data directory.",
    read: ({ disk }) => one(disk?.totalBytes),
  },
];

const backupFamilies: readonly Family[] = [
  {
    name: "memledger_backup_timestamp_seconds",
    type: "gauge",
    help: "When memledger has last completed a backup. Absent if it has never made one.",
    read: ({ backups }) => time(backups?.last?.atMs),
  },
  {
    name: "memledger_backup_interval_seconds",
    type: "gauge",
    help: "Time between two scheduled backups. Absent without a schedule.",
    read: ({ backupEveryMs }) => time(backupEveryMs),
  },
  {
    name: "memledger_backup_bytes",
    type: "gauge",
    help: "Size of the last backup. Absent if there is none.",
    read: ({ backups }) => one(backups?.last?.bytes),
  },
  {
    name: "memledger_backup_failure_timestamp_seconds",
    type: "gauge",
    help: "When a backup has last failed. Absent if none has failed.",
    read: ({ backups }) => time(backups?.failure?.atMs),
  },
];

export const familiesOfContents: readonly Family[] = [
  ...contentFamilies,
  ...attestationFamilies,
  ...projectFamilies,
  ...fileFamilies,
  ...backupFamilies,
];
