// Starts the program. Everything it creates is for its user alone.

import { runCommand } from "./cli/program.ts";

process.umask(0o077);
process.exitCode = await runCommand(process.argv.slice(2));
