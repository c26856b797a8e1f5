// Owns the fixed limits of metrics.

/** How long a scrape waits for a thread, a file or a check. The default timeout of a scrape by Prometheus is 10 s. */
export const sourceWaitMs = 1_500;
/** How often the delay of the event loop is measured. */
export const eventLoopCheckMs = 1_000;
/** Projects with metrics of their own; those with the most records come first. */
export const measuredProjectsMax = 1_000;
/** A scrape has no body. */
export const scrapeBodyMaxBytes = 1_024;
/** A connection without traffic is closed after this time; Prometheus keeps its connection between scrapes. */
export const scrapeIdleTimeoutSeconds = 120;
/** How long the end of the server waits for a running scrape. */
export const scrapeGraceMs = 2_000;
