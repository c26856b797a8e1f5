// Owns the only list of all operations. Both halves of a call look them up here by name.

import type {
  InstallationOperation,
  Operation,
  ProjectOperation,
  SessionOperation,
} from "./contract/operation.ts";
import {
  createAdministrationKey,
  listAdministrationKeys,
  revokeAdministrationKey,
} from "./operations/access/administration-key-operations.ts";
import { useConsoleKey } from "./operations/access/console-key.ts";
import { createKey, listKeys, revokeKey, updateKey } from "./operations/access/key-operations.ts";
import { useLocalKey } from "./operations/access/local-key.ts";
import { listPlans } from "./operations/access/plan-operations.ts";
import { previewRetention } from "./operations/access/preview-retention.ts";
import {
  createProject,
  deleteProject,
  listProjects,
  showProject,
  updateProject,
} from "./operations/access/project-operations.ts";
import {
  closeSession,
  createSignInLink,
  listSessions,
  openSession,
  revokeSessions,
} from "./operations/access/session-operations.ts";
import { issueToken, revokeTokens } from "./operations/access/token-operations.ts";
import { createBackup } from "./operations/backups/create.ts";
import { eraseConversation } from "./operations/conversations/erase.ts";
import { eraseConversationOf } from "./operations/conversations/erase-of-project.ts";
import { listConversations } from "./operations/conversations/list.ts";
import { readConversation } from "./operations/conversations/read.ts";
import { createExport } from "./operations/exports/create.ts";
import { downloadExport, downloadManifest } from "./operations/exports/download.ts";
import { exportProject } from "./operations/exports/export-project.ts";
import { listExports } from "./operations/exports/list.ts";
import { readExport } from "./operations/exports/read.ts";
import { extractMemories } from "./operations/extraction/extract.ts";
import {
  completeChat,
  countTokens,
  createMessage,
  createResponse,
} from "./operations/gateway/conversations.ts";
import { embedTexts } from "./operations/gateway/embed-texts.ts";
import { forwardRequest } from "./operations/gateway/forward-request.ts";
import { listModels } from "./operations/gateway/list-models.ts";
import { acceptOlderDatabase } from "./operations/ledger/accept-older-database.ts";
import { acceptRecords } from "./operations/ledger/accept-records.ts";
import { appendRecord } from "./operations/ledger/append.ts";
import {
  listCheckpoints,
  readCheckpoint,
  signCheckpoints,
} from "./operations/ledger/checkpoint-operations.ts";
import { eraseRecords } from "./operations/ledger/erase-records.ts";
import { verifyRecords } from "./operations/ledger/incremental-verification.ts";
import { listRecords } from "./operations/ledger/list.ts";
import { listChain } from "./operations/ledger/list-chain.ts";
import { readMemoryHistory } from "./operations/ledger/memory-history.ts";
import { pruneRecords } from "./operations/ledger/prune.ts";
import { readRecord } from "./operations/ledger/read.ts";
import { readReceipt, showReceipt } from "./operations/ledger/receipts.ts";
import { recordRepairs } from "./operations/ledger/record-repairs.ts";
import { rotateKey } from "./operations/ledger/rotate-key.ts";
import { showRecord } from "./operations/ledger/show-record.ts";
import { readLedgerStatistics } from "./operations/ledger/statistics.ts";
import { addTimeStamp } from "./operations/ledger/time-stamp.ts";
import { traceRecords } from "./operations/ledger/trace-records.ts";
import { proveConsistency, proveRecord } from "./operations/ledger/tree-proofs.ts";
import { createMemory } from "./operations/memories/create.ts";
import { createMemories } from "./operations/memories/create-batch.ts";
import { deleteAllMemories, deleteMemory } from "./operations/memories/delete.ts";
import { deleteMemories } from "./operations/memories/delete-batch.ts";
import { exportMemories } from "./operations/memories/export.ts";
import { listMemories } from "./operations/memories/list.ts";
import { listTags } from "./operations/memories/list-tags.ts";
import { putMemory } from "./operations/memories/put.ts";
import { readMemory } from "./operations/memories/read.ts";
import { readMemoryStatistics } from "./operations/memories/statistics.ts";
import { updateMemory } from "./operations/memories/update.ts";
import { updateMemories } from "./operations/memories/update-batch.ts";
import { beginModelChange, cancelModelChange, changeModel } from "./operations/model-change/operations.ts";
import { makeReport } from "./operations/report/make-report.ts";
import { createCheck, deleteCheck, listChecks } from "./operations/search/check-operations.ts";
import { runChecks } from "./operations/search/check-run.ts";
import { injectMemories } from "./operations/search/inject.ts";
import { searchMemories } from "./operations/search/search.ts";
import { eraseSubject } from "./operations/subjects/erase.ts";
import { exportSubject } from "./operations/subjects/export.ts";
import { listSubjects } from "./operations/subjects/list.ts";
import { repeatErasure } from "./operations/subjects/repeat-erasure.ts";
import {
  acceptSuggestion,
  acceptSuggestions,
  mergeSuggestion,
  refuseSuggestion,
  refuseSuggestions,
} from "./operations/suggestions/decisions.ts";
import { listSuggestions, readSuggestion } from "./operations/suggestions/list.ts";
import { proposeSuggestion } from "./operations/suggestions/propose.ts";

export const projectOperations: readonly ProjectOperation[] = [
  createMemory,
  createMemories,
  updateMemories,
  deleteMemories,
  listMemories,
  listTags,
  readMemoryStatistics,
  exportMemories,
  readMemory,
  putMemory,
  updateMemory,
  deleteMemory,
  deleteAllMemories,
  searchMemories,
  injectMemories,
  extractMemories,
  listConversations,
  readConversation,
  eraseConversation,
  listSubjects,
  exportSubject,
  eraseSubject,
  proposeSuggestion,
  listSuggestions,
  readSuggestion,
  acceptSuggestion,
  mergeSuggestion,
  refuseSuggestion,
  acceptSuggestions,
  refuseSuggestions,
  createCheck,
  listChecks,
  deleteCheck,
  runChecks,
  listRecords,
  readRecord,
  proveRecord,
  readReceipt,
  proveConsistency,
  readLedgerStatistics,
  readMemoryHistory,
  appendRecord,
  listCheckpoints,
  readCheckpoint,
  verifyRecords,
  createExport,
  listExports,
  readExport,
  downloadExport,
  downloadManifest,
  completeChat,
  createResponse,
  createMessage,
  countTokens,
  embedTexts,
  listModels,
  issueToken,
  revokeTokens,
];

export const installationOperations: readonly InstallationOperation[] = [
  createProject,
  listProjects,
  showProject,
  updateProject,
  previewRetention,
  deleteProject,
  createKey,
  listKeys,
  updateKey,
  revokeKey,
  createAdministrationKey,
  listAdministrationKeys,
  revokeAdministrationKey,
  listPlans,
  useLocalKey,
  useConsoleKey,
  createSignInLink,
  listSessions,
  revokeSessions,
  signCheckpoints,
  listChain,
  showRecord,
  showReceipt,
  eraseRecords,
  traceRecords,
  pruneRecords,
  acceptOlderDatabase,
  acceptRecords,
  addTimeStamp,
  makeReport,
  rotateKey,
  exportProject,
  eraseConversationOf,
  createBackup,
  repeatErasure,
  recordRepairs,
  beginModelChange,
  changeModel,
  cancelModelChange,
];

export const sessionOperations: readonly SessionOperation[] = [openSession, closeSession];

/** Operations of a project that have routes of their own kind: all paths of an API. */
export const otherOperations = { forwardRequest } as const;

export const allOperations: readonly Operation[] = [
  ...projectOperations,
  ...Object.values(otherOperations),
  ...installationOperations,
  ...sessionOperations,
];

const byName = new Map<string, Operation>(allOperations.map((operation) => [operation.name, operation]));

export function findOperation(name: string): Operation | undefined {
  return byName.get(name);
}
