// Owns the list of the operations of the installation that an administrator may perform in the console. Others need a command on the
// machine of the server: what cannot be undone, what names files of the machine, and what would let somebody use a stolen session after its end.

export const consoleOperations: ReadonlySet<string> = new Set([
  "project.create",
  "project.list",
  "project.show",
  "project.update",
  "project.preview_retention",
  "key.create",
  "key.list",
  "key.update",
  "key.revoke",
  "key.console",
  "session.list",
  "session.revoke",
  "audit.attest",
  "audit.list_chain",
  "audit.show_record",
]);
