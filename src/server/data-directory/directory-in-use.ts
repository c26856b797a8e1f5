// Owns the error that another process uses the data directory. Must never import what opens one: every command knows this error.

import { quoteWord } from "../../platform/text/shell-word.ts";

/** Another process has locked the data directory, and does not release it soon. */
export class DirectoryInUse extends Error {
  /** @param background the process number of its background server; null: another process uses the directory */
  constructor(root: string, background: number | null = null) {
    super(
      background === null
        ? `The data directory ${root} is in use by another memledger process. Stop that process, or choose another directory with --data-dir. If no memledger runs on it, its file system may not support locks: use a local one.`
        : `The data directory ${root} is in use by its background server, process ${background}. Stop it: memledger stop --data-dir ${quoteWord(root)}`,
    );
  }
}
