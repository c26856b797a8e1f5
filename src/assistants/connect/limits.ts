// Owns the fixed limits of changes of configuration files.

/** Files of assistants have kilobytes; that of Claude Code keeps histories and may have megabytes. */
export const configurationMaxBytes = 64 * 1024 * 1024;
/** Backups of one file. */
export const backupsMax = 1_000;
/** A new file of this age was left by a process that was killed: writing takes milliseconds. */
export const newFileStaleAfterMs = 60_000;
/** While another process changes the file, a change is tried this often, with a pause in between. */
export const busyAttemptsMax = 50;
export const busyPauseMs = 100;
