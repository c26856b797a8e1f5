// Owns the list of the operations of the installation that an administration key may perform. Others need a command on the machine of the
// server. None of these creates an administration key or a session, so a stolen key cannot be used after its revocation.

export const administrationKeyOperations: ReadonlySet<string> = new Set([
  "project.create",
  "project.list",
  "project.show",
  "project.update",
  "project.delete",
  "key.create",
  "key.list",
  "key.update",
  "key.revoke",
  "plan.list",
  "audit.list_chain",
  "audit.show_record",
]);
