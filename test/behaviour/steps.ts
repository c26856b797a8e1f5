// Owns what is asked of operations, in its order: one list for the HTTP API, the local socket and the console, each of which sends the steps
// whose operation it offers. Must never say what is answered.

import type { JsonObject } from "./product.ts";

/** Who sends a step: a project, by what its plan allows. */
export const projects = {
  main: { plan: "custom" },
  free: { plan: "free" },
  busy: { plan: "free" },
  small: { plan: "custom", memory_limit: 1 },
  poor: { plan: "custom", credits: 0 },
  unpaid: { plan: "business", subscription: "expired" },
} as const;
export type Sender = keyof typeof projects;

export interface Step {
  readonly operation: string;
  /** What is special about it. */
  readonly title: string;
  /** A text such as {fact} stands for a value that a step before has kept, {project of main} for the id of a project. */
  readonly input: JsonObject;
  /** Names of values of the answer, by their path in `data`. */
  readonly keep?: Readonly<Record<string, string>>;
  readonly by?: Sender;
}

const step = (operation: string, title: string, input: JsonObject, more: Partial<Step> = {}): Step => ({
  operation,
  title,
  input,
  ...more,
});

const id = "0".repeat(32);
const release = { content: "Releases go out on Tuesdays.", memory_type: "fact" };
const rule = { content: "Answer in one sentence.", memory_type: "rule", importance: 0.9 };
const always = { start_time: "2001-01-01T00:00:00Z", end_time: "2099-01-01T00:00:00Z" };
const messages = [
  {
    role: "user",
    content: "I have moved to Lisbon, and I prefer trains to planes.",
    time: "2001-05-01T10:00:00Z",
  },
  { role: "assistant", content: "Noted. Lisbon has good trains.", time: "2001-05-01T10:00:05Z" },
];

const memorySteps: readonly Step[] = [
  step(
    "memory.create",
    "all fields",
    {
      ...release,
      importance: 0.7,
      tags: ["release"],
      metadata: { team: "core" },
      expires_at: "2099-01-01T00:00:00Z",
    },
    { keep: { fact: "id" } },
  ),
  step("memory.create", "a rule", rule, { keep: { rule: "id" } }),
  step("memory.create", "the same content again", release),
  step(
    "memory.create",
    "of a subject",
    { ...release, subject: "user:42" },
    { keep: { "fact of the subject": "id" } },
  ),
  step("memory.create", "a plan without memories", release, { by: "free" }),
  step("memory.create", "a project that has room for one", release, { by: "small" }),
  step("memory.create", "a project without room", rule, { by: "small" }),
  step("memory.create_batch", "a new one, one that exists, one that is not valid", {
    memories: [
      { content: "Staging is down.", memory_type: "context", tags: ["staging"], source_id: "wiki:staging" },
      release,
      { content: "", memory_type: "fact" },
    ],
  }),
  step(
    "memory.put",
    "new",
    { source_id: "wiki:office", content: "The office is in Lisbon.", memory_type: "fact" },
    { keep: { office: "id" } },
  ),
  step("memory.put", "again", {
    source_id: "wiki:office",
    content: "The office is in Porto.",
    memory_type: "fact",
  }),
  step("memory.read", "performed", { memory_id: "{fact}" }),
  step("memory.read", "of another owner", { memory_id: "{fact}", subject: "user:42" }),
  step("memory.update", "performed", { memory_id: "{fact}", importance: 0.9, tags: ["release", "weekly"] }),
  step("memory.update", "changed meanwhile", {
    memory_id: "{fact}",
    importance: 0.1,
    if_updated_at: "2001-01-01T00:00:00Z",
  }),
  step("memory.update_batch", "one that exists, one that does not", {
    memories: [
      { memory_id: "{rule}", add_tags: ["style"] },
      { memory_id: id, add_tags: ["style"] },
    ],
  }),
  step("memory.list", "all", {}),
  step("memory.list", "selected", { memory_type: "fact", tag: ["release"], page_size: 1 }),
  step("memory.list", "of a subject", { subject: "user:42" }),
  step("memory.tags", "performed", {}),
  step("memory.statistics", "performed", {}),
  step("memory.search", "by meaning", { query: "When do we release?", top_k: 2 }),
  step("memory.search", "hybrid, explained", {
    query: "releases on Tuesdays",
    mode: "hybrid",
    explain: true,
    top_k: 2,
  }),
  step("memory.search", "without memories", { query: "When do we release?" }, { by: "unpaid" }),
  step("memory.inject", "of a query", { query: "When do we release?", min_similarity: 0 }),
  step("memory.inject", "of messages", { messages, max_characters: 200 }),
  step("memory.extract", "a text", {
    text: "Ana: We decided that backups run on Fridays. Lovely weather today!",
  }),
  step("memory.extract", "without storing", {
    text: "We decided that reviews are on Mondays.",
    dry_run: true,
  }),
  step("memory.extract", "a conversation, word for word", {
    messages,
    detail: "verbatim",
    conversation: "chat-17",
  }),
  step(
    "memory.extract",
    "without credits",
    { text: "We decided that backups run on Fridays." },
    { by: "poor" },
  ),
  step("memory.export", "performed", { page_size: 3 }),
  step("conversation.list", "performed", {}),
  step("conversation.read", "performed", { conversation: "chat-17" }),
  step("conversation.erase", "counted only", { conversation: "chat-17", dry_run: true }),
  step("conversation.erase", "performed", { conversation: "chat-17" }),
];

const suggestionSteps: readonly Step[] = [
  step(
    "suggestion.create",
    "a replacement",
    { kind: "replace", memory_id: "{fact}", content: "Releases go out on Thursdays." },
    { keep: { replacement: "id" } },
  ),
  step(
    "suggestion.create",
    "a new memory",
    { kind: "create", content: "Lunch is at noon.", memory_type: "fact", reason: "Ana said so." },
    { keep: { addition: "id" } },
  ),
  step(
    "suggestion.create",
    "an update",
    { kind: "change", memory_id: "{rule}", importance: 0.2 },
    { keep: { change: "id" } },
  ),
  step(
    "suggestion.create",
    "a removal",
    { kind: "delete", memory_id: "{rule}" },
    { keep: { removal: "id" } },
  ),
  step("suggestion.list", "performed", {}),
  step("suggestion.read", "performed", { suggestion_id: "{replacement}" }),
  step("suggestion.merge", "performed", {
    suggestion_id: "{replacement}",
    content: "Releases go out on Tuesdays and Thursdays.",
  }),
  step("suggestion.accept", "performed", { suggestion_id: "{addition}" }),
  step("suggestion.accept", "again", { suggestion_id: "{addition}" }),
  step("suggestion.refuse", "performed", { suggestion_id: "{change}" }),
  step(
    "suggestion.create",
    "for a batch",
    { kind: "create", content: "Dinner is at eight.", memory_type: "fact" },
    { keep: { dinner: "id" } },
  ),
  step("suggestion.accept_batch", "one that exists, one that does not", { suggestion_ids: ["{dinner}", id] }),
  step(
    "suggestion.create",
    "for another batch",
    { kind: "create", content: "Tea is at five.", memory_type: "fact" },
    { keep: { tea: "id" } },
  ),
  step("suggestion.refuse_batch", "one that exists, one that does not", { suggestion_ids: ["{tea}", id] }),
  step(
    "check.create",
    "performed",
    { query: "Where is the office?", expected_memory_id: "{office}", within: 3 },
    { keep: { check: "id" } },
  ),
  step("check.list", "performed", {}),
  step("check.run", "performed", {}),
  step("check.delete", "performed", { check_id: "{check}" }),
];

const auditSteps: readonly Step[] = [
  step(
    "audit.append",
    "performed",
    {
      action: "gateway.chat",
      http_status: 200,
      model_id: "llama",
      tokens: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
    },
    { keep: { record: "id" } },
  ),
  step("audit.append", "an action of the ledger", { action: "memory.create", http_status: 200 }),
  step(
    "audit.list",
    "selected",
    { action: "memory.put", page_size: 2 },
    { keep: { "record of put": "logs.0.id" } },
  ),
  step("audit.list", "without a subscription", {}, { by: "unpaid" }),
  step("audit.list", "times in the wrong order", {
    start_time: always.end_time,
    end_time: always.start_time,
  }),
  step("audit.read", "performed", { audit_id: "{record}" }),
  step("audit.statistics", "performed", {}),
  step("memory.history", "performed", { memory_id: "{office}" }),
  step("audit.verify", "performed", {}),
  step("audit.attest", "performed", { project: "{project of main}" }),
  step("audit.attest", "of the installation", { project: null }),
  step("audit.timestamp", "no answer of an authority", { answer: "MAMCAQA=" }),
  step("audit.checkpoint", "performed", {}),
  step("audit.checkpoint_list", "performed", {}),
  step("audit.proof", "performed", { audit_id: "{record}" }),
  step("audit.receipt", "performed", { audit_id: "{record}" }),
  step("audit.consistency", "performed", { from: 1, to: 2 }),
  step("audit.list_chain", "of the installation", { page_size: 2 }),
  step("audit.list_chain", "of a project", { project: "{project of main}", action: "memory.put" }),
  step("audit.show_record", "performed", { record: "{record}" }),
  step("audit.show_receipt", "performed", { record: "{record}", payload: false }),
  step("audit.report", "an unknown project", { ...always, project: "none" }),
  step("audit.trace", "performed", { memory: "{office}" }),
  step("audit.redact", "performed", { record: "{record}" }),
  step("audit.prune", "performed", {}),
  step("audit.restore", "nothing to accept", { checkpoints: [] }),
  step("audit.accept", "nothing to accept", {}),
  step("subject.list", "performed", {}),
  step("subject.export", "performed", { subject: "user:42" }),
  step("subject.erase", "counted only", { subject: "user:42", dry_run: true }),
  step("subject.erase", "performed", { subject: "user:42" }),
];

const accessSteps: readonly Step[] = [
  step("key.issue", "performed", { subject: "user:42", expires_in: 900 }),
  step("key.issue", "a permission that no subject has", { subject: "user:42", permissions: ["audit.read"] }),
  step("key.revoke_issued", "performed", {}),
  step("plan.list", "performed", {}),
  step(
    "project.create",
    "performed",
    { name: "shop", plan: "pro", memory_limit: 5000 },
    { keep: { shop: "id" } },
  ),
  step("project.create", "a name that is taken", { name: "shop" }),
  step("project.list", "performed", { text: "sh" }),
  step("project.show", "performed", { project: "{shop}" }),
  step("project.update", "performed", { project: "{shop}", memory_limit: 6000 }),
  step("project.update", "nothing to change", { project: "{shop}" }),
  step("project.preview_retention", "performed", { project: "{shop}", retention_days: 1 }),
  step(
    "key.create",
    "performed",
    { project: "{shop}", name: "user 42", permissions: ["memory.read"], subject: "user:42" },
    { keep: { key: "id", secret: "key" } },
  ),
  step("key.create", "an unknown permission", { project: "{shop}", permissions: ["memory.see"] }),
  step("key.list", "performed", { project: "{shop}" }),
  step("key.update", "performed", { key: "{key}", gateway: { memory: false } }),
  step("key.revoke", "performed", { key: "{key}" }),
  step("key.local", "performed", { project: "shop" }),
  step("key.console", "performed", { project: "{shop}" }),
  step(
    "administration_key.create",
    "performed",
    { name: "server" },
    { keep: { "administration key": "id" } },
  ),
  step("administration_key.list", "performed", {}),
  step("administration_key.revoke", "performed", { key: "{administration key}" }),
  step("session.link", "performed", {}),
  step("session.list", "performed", {}),
  step("session.revoke", "an unknown one", { session: id }),
  step("project.erase_conversation", "counted only", {
    project: "{project of main}",
    conversation: "chat-17",
    dry_run: true,
  }),
  step("subject.repeat_erasure", "of no record", {
    project: "{project of main}",
    subject: "user:42",
    record: id,
  }),
  step("backup.create", "into a folder that does not exist", {
    file: "/does-not-exist/backup",
    includes_signing_key: false,
  }),
  step("doctor.fix", "nothing to repair", { orphan_vectors: 0, missing_vectors: 0, wrong_words: 0 }),
  step("audit.rotate_key", "a statement that is none", { statement: "none" }),
  step("model.cancel_change", "no change in progress", {}),
  step("model.begin_change", "a model without dimensions", {
    id: "other",
    sha256: "0".repeat(64),
    dimensions: 0,
  }),
  step("model.change", "no change in progress", { sha256: "0".repeat(64) }),
  step("project.delete", "performed", { project: "{shop}", name: "shop" }),
];

/** Behind everything that they count. */
const lastSteps: readonly Step[] = [
  step("memory.delete", "performed", { memory_id: "{rule}" }),
  step("memory.delete_batch", "one that exists, one that does not", { memory_ids: ["{office}", id] }),
  step("memory.delete_all", "of a type", { memory_type: "context" }),
  step("memory.delete_all", "all", {}),
  step("audit.export", "a plan without exports", always, { by: "small" }),
  step(
    "audit.export",
    "performed",
    { ...always, format: "json", action: "memory.put" },
    { keep: { export: "export_id" } },
  ),
  step("audit.export_status", "when it is ready", { export_id: "{export}" }),
  step("audit.export_list", "performed", {}),
  step("audit.export_download", "performed", { export_id: "{export}" }),
  step("audit.export_manifest", "performed", { export_id: "{export}" }),
  step("project.export", "performed", { project: "{project of main}", ...always, action: "memory.put" }),
];

export const steps: readonly Step[] = [
  ...memorySteps,
  ...suggestionSteps,
  ...auditSteps,
  ...accessSteps,
  ...lastSteps,
];
