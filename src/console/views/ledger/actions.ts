// Owns the actions that the filter of the list suggests: the operations of a project, and what signs people in. Gateways append others.

const suffixes = {
  memory:
    "create create_batch delete delete_all delete_batch export extract history inject list put read search statistics tags update update_batch",
  audit:
    "append checkpoint checkpoint_list consistency export export_download export_list export_manifest export_status list proof read receipt statistics verify",
  conversation: "erase list read",
  check: "create delete list run",
  gateway: "chat count_tokens embeddings messages models responses",
  key: "issue revoke_issued",
  subject: "erase export list",
  suggestion: "accept accept_batch create list merge read refuse refuse_batch",
  session: "close open",
};

export const actions = Object.entries(suffixes).flatMap(([of, names]) =>
  names.split(" ").map((name) => `${of}.${name}`),
);
