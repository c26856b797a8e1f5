// Owns the fixed limits of the file system that the server and its commands both check.

/** With less free space, a busy server may fill the disk within a day. */
export const freeDiskCriticalBytes = 512 * 1024 * 1024;
