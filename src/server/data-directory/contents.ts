// Owns what a data directory contains, for the manual page and docs/operator/DATA-DIRECTORY.md. `locate` has the paths.

export interface DirectoryEntry {
  readonly names: readonly string[];
  readonly description: string;
}

export const contents: readonly DirectoryEntry[] = [
  {
    names: ["memledger.db", "memledger.db-wal", "memledger.db-shm"],
    description: "the database: projects, keys, memories and the ledger",
  },
  {
    names: ["memledger.db-damaged"],
    description:
      "exists after SQLite has reported damage of the database, until a check of the whole file finds it intact; until then nothing but the ledger is written",
  },
  { names: ["memledger.toml"], description: "the configuration file, if you wrote one" },
  {
    names: ["memledger.log", "memledger.log-former"],
    description: "the log of background servers; at most about 1 MiB each",
  },
  {
    names: ["first-api-key"],
    description:
      "the API key of the first start, if its output was not a terminal; only the owner can read it, and backups do not contain it; delete it when you have stored the key elsewhere",
  },
  { names: ["memledger.starting"], description: "exists while a program starts a background server" },
  {
    names: ["console-sign-in.html"],
    description:
      "redirects the browser to a sign-in link; exists for some seconds while memledger console opens the browser, and only the owner can read it",
  },
  {
    names: ["memledger.lock", "memledger.sock"],
    description:
      "the lock of the running server, and its socket for commands and other programs of this user",
  },
  {
    names: ["audit.key", "audit.pub", "audit.rotations"],
    description: "the signing key, its public key, and statements about changes of the key",
  },
  { names: ["checkpoints/"], description: "signed checkpoints, one file per chain" },
  {
    names: ["memledger.backup"],
    description: "time, size and path of the last backup, and the last failure; may be deleted",
  },
  {
    names: ["before-migration/"],
    description: "backups made before a new version migrated the database; kept until you remove them",
  },
  {
    names: ["deposits/"],
    description: "files for destinations elsewhere (keep), until they are kept there",
  },
  { names: ["exports/"], description: "files of exports, kept for seven days" },
  {
    names: ["models/"],
    description: "a copy of the embedding model, after a change to a model that is not built in",
  },
  {
    names: ["cache/"],
    description:
      "search indexes in files, so that the first search after a start is fast; may be deleted at any time",
  },
  {
    names: ["hooks/"],
    description:
      "the log of the hooks of assistants' clients, and what they remember about conversations; may be deleted",
  },
  {
    names: ["runtime/"],
    description: "native libraries from the executable; may be deleted while nothing runs",
  },
];
