// Owns what to tell about a data directory without a database: assistants use that of the user, commands that in the working directory.

import { existsSync } from "node:fs";
import { userDataDirectory } from "../config/user-data-directory.ts";
import { quoteWord } from "../text/shell-word.ts";
import { locate } from "./data-directory.ts";

/** One sentence with a space after it, or nothing if assistants have no database either. @param root where no database was found */
export function assistantsAdvice(root: string): string {
  const ofUser = userDataDirectory(process.env);
  if (ofUser === root || !existsSync(locate(ofUser).database)) return "";
  return `Connected assistants use --data-dir ${quoteWord(ofUser)} instead. `;
}
