// Owns the fixed limits of the overview: from when on something needs the attention of a person, and how often it is checked. The alert
// rules of deploy/prometheus have the same limits; a test compares them.

/** Free disk space below which a person should act: in bytes, and as a share of the file system. */
export const freeDiskMinBytes = 1_000_000_000;
export const freeDiskMinShare = 0.05;
/** A backup that is older is too old. With a schedule: twice its interval. */
export const backupAgeMaxMs = 2 * 86_400_000;
/** Records that no checkpoint covers after this time. */
export const unsignedAgeMaxMs = 3_600_000;
/** A checkpoint that somebody outside has not confirmed after this time. */
export const unconfirmedAgeMaxMs = 3_600_000;
/** How far back failures of calls and restarts of threads are shown. */
export const recentMs = 15 * 60_000;
/** Keys that expire within this time. */
export const keyExpiresSoonMs = 14 * 86_400_000;
/** Projects that have used at least this share of their maximum number of memories. */
export const memoryShareMin = 0.9;
/** Projects whose credits are enough for at most so many extractions. */
export const extractionsLeftMin = 20;
/** Keys and projects that a warning names. */
export const namedMax = 5;

/** How often what changes slowly is counted, while somebody watches it. */
export const stateEveryMs = 60_000;
/** How often readiness is checked, while somebody watches it. */
export const readinessEveryMs = 5_000;
/** How often the numbers of memories and records are read, while somebody watches them: the database keeps them. */
export const contentsEveryMs = 5_000;
/** How long a thread, a file or a check may take; then the last answer counts. */
export const stateWaitMs = 3_000;
/** How often the files of the data directory are counted, while somebody watches it. */
export const directoryEveryMs = 600_000;

/** How often a session is checked, and figures are sent if they have changed. */
export const figuresEveryMs = 1_000;
/** Without an event for this time, an empty one keeps proxies from closing the connection. */
export const heartbeatEveryMs = 15_000;
/** How often a project without calls is checked: retention and tasks change it, too. */
export const quietProjectEveryMs = 15_000;
/** Event streams of one session, and of all sessions. */
export const streamsOfSessionMax = 8;
export const streamsMax = 64;
