// Starts the program. Files that it creates are accessible only to its user.

import { runCommand } from "./cli/program.ts";

process.umask(0o077);
process.exitCode = await runCommand(process.argv.slice(2));
