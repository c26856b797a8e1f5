// Owns the reading connection for lists and for the ledger: short requests, and long ones in short steps. Never writes, never searches.

import { workerData } from "node:worker_threads";
import { yieldToOthers } from "../../../platform/threads/priority.ts";
import { createChainContentsReader } from "../chain-contents.ts";
import { createNeighbours } from "../conversation-neighbours.ts";
import { createConversationContents, createConversationList, createMade } from "../conversations.ts";
import { createContentsReader } from "../database-contents.ts";
import { type DatabaseFile, openReading } from "../database-file/connection.ts";
import { createDepositReader } from "../export/deposits.ts";
import { createTreeProofs } from "../export/tree-proofs.ts";
import { createAttestationReader } from "../ledger/attestations.ts";
import { createAuditReader } from "../ledger/audit-reader.ts";
import { createLedgerStatistics } from "../ledger/ledger-statistics.ts";
import { createMemoryMentions } from "../ledger/memory-mentions.ts";
import { createGatewayCostReader, createPastCallsReader } from "../ledger/past-calls.ts";
import { createPeriodReader } from "../ledger/period-reader.ts";
import { createRecordList } from "../ledger/record-list.ts";
import { createRecordsAbout } from "../ledger/records-about.ts";
import { createMemoryExport } from "../memories/memory-export.ts";
import { createMemoryList } from "../memories/memory-list.ts";
import { createMemoryStatistics } from "../memories/memory-statistics.ts";
import { createMissingReader } from "../memories/model-change.ts";
import { createTagList } from "../memories/tags.ts";
import { createNearLimitsReader } from "../near-limits.ts";
import { createVerificationSteps } from "../verify/verification-steps.ts";
import { answerNamedRequests } from "./answer-requests.ts";

export interface ReaderInit {
  readonly file: DatabaseFile;
  /** Check the signatures of the notes of this ledger. */
  readonly verifierKeys: readonly string[];
  /** Where the files of exports are. */
  readonly exportFolder: string;
}

const { file, verifierKeys, exportFolder }: ReaderInit = workerData;
yieldToOthers();
const database = openReading(file);
const attestations = createAttestationReader(database);
const audit = createAuditReader(database);
const deposits = createDepositReader(database, verifierKeys);
const periods = createPeriodReader(database);
const proofs = createTreeProofs(database);
const prover = createVerificationSteps(database, verifierKeys);

const missing = createMissingReader(database);

const handlers = {
  listMemories: createMemoryList(database),
  countMemoriesOf: createMemoryStatistics(database),
  listTags: createTagList(database),
  listConversations: createConversationList(database),
  readConversation: createConversationContents(database),
  findNeighbours: createNeighbours(database),
  madeOfConversation: createMade(database),
  exportMemories: createMemoryExport(database),
  listRecords: createRecordList(database),
  findMentions: createMemoryMentions(database),
  countRecords: createLedgerStatistics(database),
  listCheckpoints: audit.checkpoints,
  findRecord: audit.find,
  proveInclusion: proofs.inclusion,
  proveConsistency: proofs.consistency,
  partsOfRecord: audit.partsAt,
  placeRecord: audit.place,
  reportedOwners: periods.owners,
  chainInPeriod: periods.chain,
  countCalls: periods.count,
  unattestedCheckpoints: attestations.unattested,
  newestAttestation: attestations.newestBy,
  attestationsOf: attestations.of,
  checkpointStampedAs: attestations.stampedAs,
  dueDeposits: deposits.due,
  nextDeposit: deposits.next,
  depositEntries: deposits.entries,
  depositHead: deposits.head,
  depositErasures: deposits.erasures,
  lastDeposit: deposits.last,
  traceBatch: audit.traceBatch,
  recordsAbout: createRecordsAbout(database).prepare,
  countMemories: missing.countMemories,
  findMissing: missing.findMissing,
  startRun: prover.startRun,
  verifyStep: prover.verifyStep,
  readContents: createContentsReader(database),
  readChain: createChainContentsReader(database, exportFolder),
  readNearLimits: createNearLimitsReader(database),
  pastCalls: createPastCallsReader(database),
  gatewayCost: createGatewayCostReader(database),
};

export type ReadHandlers = typeof handlers;

answerNamedRequests(handlers);
