// Owns the only list of all operations. Both halves of a call look them up here by name.

import {
  createAdministrationKey,
  listAdministrationKeys,
  revokeAdministrationKey,
} from "../access/administration-key-operations.ts";
import { useConsoleKey } from "../access/console-key.ts";
import { createKey, listKeys, revokeKey, updateKey } from "../access/key-operations.ts";
import { useLocalKey } from "../access/local-key.ts";
import { listPlans } from "../access/plan-operations.ts";
import { previewRetention } from "../access/preview-retention.ts";
import {
  createProject,
  deleteProject,
  listProjects,
  showProject,
  updateProject,
} from "../access/project-operations.ts";
import {
  closeSession,
  createSignInLink,
  listSessions,
  openSession,
  revokeSessions,
} from "../access/session-operations.ts";
import { issueToken, revokeTokens } from "../access/token-operations.ts";
import { acceptOlderDatabase } from "../audit/accept-older-database.ts";
import { acceptRecords } from "../audit/accept-records.ts";
import { appendRecord } from "../audit/append.ts";
import { listCheckpoints, readCheckpoint, signCheckpoints } from "../audit/checkpoint-operations.ts";
import { verifyRecords } from "../audit/incremental-verification.ts";
import { listRecords } from "../audit/list.ts";
import { listChain } from "../audit/list-chain.ts";
import { readMemoryHistory } from "../audit/memory-history.ts";
import { pruneRecords } from "../audit/prune.ts";
import { readRecord } from "../audit/read.ts";
import { recordRepairs } from "../audit/record-repairs.ts";
import { redactRecords } from "../audit/redact.ts";
import { rotateKey } from "../audit/rotate-key.ts";
import { showRecord } from "../audit/show-record.ts";
import { readLedgerStatistics } from "../audit/statistics.ts";
import { traceRecords } from "../audit/trace-records.ts";
import { createBackup } from "../backup/create.ts";
import { eraseConversation } from "../conversations/erase.ts";
import { eraseConversationOf } from "../conversations/erase-of-project.ts";
import { listConversations } from "../conversations/list.ts";
import { readConversation } from "../conversations/read.ts";
import { createExport } from "../export/create.ts";
import { downloadExport, downloadManifest } from "../export/download.ts";
import { exportProject } from "../export/export-project.ts";
import { listExports } from "../export/list.ts";
import { readExport } from "../export/read.ts";
import {
  completeChat,
  countTokens,
  createMessage,
  createResponse,
} from "../gateway/operations/conversations.ts";
import { embedTexts } from "../gateway/operations/embed-texts.ts";
import { forwardRequest } from "../gateway/operations/forward-request.ts";
import { listModels } from "../gateway/operations/list-models.ts";
import { createCheck, deleteCheck, listChecks } from "../memory/check-operations.ts";
import { runChecks } from "../memory/check-run.ts";
import { createMemory } from "../memory/create.ts";
import { createMemories } from "../memory/create-batch.ts";
import { deleteAllMemories, deleteMemory } from "../memory/delete.ts";
import { deleteMemories } from "../memory/delete-batch.ts";
import { exportMemories } from "../memory/export.ts";
import { extractMemories } from "../memory/extract.ts";
import { injectMemories } from "../memory/inject.ts";
import { listMemories } from "../memory/list.ts";
import { listTags } from "../memory/list-tags.ts";
import { putMemory } from "../memory/put.ts";
import { readMemory } from "../memory/read.ts";
import { searchMemories } from "../memory/search.ts";
import { readMemoryStatistics } from "../memory/statistics.ts";
import { updateMemory } from "../memory/update.ts";
import { updateMemories } from "../memory/update-batch.ts";
import { beginModelChange, cancelModelChange, changeModel } from "../model-change/operations.ts";
import { eraseSubject } from "../subjects/erase.ts";
import { exportSubject } from "../subjects/export.ts";
import { listSubjects } from "../subjects/list.ts";
import { repeatErasure } from "../subjects/repeat-erasure.ts";
import {
  acceptSuggestion,
  acceptSuggestions,
  mergeSuggestion,
  refuseSuggestion,
  refuseSuggestions,
} from "../suggestions/decisions.ts";
import { listSuggestions, readSuggestion } from "../suggestions/list.ts";
import { proposeSuggestion } from "../suggestions/propose.ts";
import type { InstallationOperation, Operation, ProjectOperation, SessionOperation } from "./operation.ts";

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
  redactRecords,
  traceRecords,
  pruneRecords,
  acceptOlderDatabase,
  acceptRecords,
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

const byName = new Map<string, Operation>(
  [
    ...projectOperations,
    ...Object.values(otherOperations),
    ...installationOperations,
    ...sessionOperations,
  ].map((operation) => [operation.name, operation]),
);

export function findOperation(name: string): Operation | undefined {
  return byName.get(name);
}
