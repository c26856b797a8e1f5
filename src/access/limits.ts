// Owns the fixed limits of sessions, sign-in links, lists of projects, and exchanges.

/** Time in which a sign-in link can be used. */
export const signInLinkLifeMs = 10 * 60_000;

/** Time after which a session ends, however much it is used. */
export const sessionLifeMs = 12 * 3_600_000;

/** Open sessions of one key, and of all administrators together; a new one ends the oldest. */
export const openSessionsMax = 100;

/** Links that can be used; a new one removes the oldest. */
export const openLinksMax = 100;

/** Administration from one session. Calls of a project have the rate of its key instead. */
export const sessionRate = { perSecond: 20, burst: 200 };

/** Calls with one administration key. */
export const administrationKeyRate = { perSecond: 20, burst: 200 };

/** How long a token is valid, if its issue does not say it, and at most. */
export const tokenLifeSecondsDefault = 3_600;
export const tokenLifeSecondsMax = 30 * 86_400;

/** Ended sessions and links are kept so long, so that people are told why they cannot be used. */
export const endedKeptMs = 3_600_000;

/** The greatest number of days and of other limits that can be set. */
export const limitMax = 1_000_000_000;

/** Projects in one page of their list. */
export const projectsPageMax = 1_000;

/** The body of one exchange: conversations contain images. */
export const exchangeBodyMaxBytes = 20 * 1024 * 1024;
/** Bodies of exchanges that were not sent to their upstreams yet: of one project, and of all projects. */
export const exchangeBodiesMaxBytesPerProject = 4 * exchangeBodyMaxBytes;
export const exchangeBodiesMaxBytes = 8 * exchangeBodyMaxBytes;
/** How long a shutdown waits for the records of exchanges whose connections it has closed. */
export const exchangeEndMaxMs = 2_000;
