// Owns what to tell about a data directory without a database: assistants use that of the user, commands that in the working directory.

import { existsSync } from "node:fs";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { userDataDirectory } from "../config/user-data-directory.ts";
import { locate } from "./data-directory.ts";

/** The data directory of assistants. Null: it is `root`, or it has no database. @param root where no database was found */
export function directoryOfAssistants(root: string): string | null {
  const ofUser = userDataDirectory(process.env);
  return ofUser === root || !existsSync(locate(ofUser).database) ? null : ofUser;
}

/** One sentence with a space after it, or nothing if assistants have no database either. @param root where no database was found */
export function assistantsAdvice(root: string): string {
  const ofUser = directoryOfAssistants(root);
  return ofUser === null ? "" : `Connected assistants use --data-dir ${quoteWord(ofUser)} instead. `;
}
