// Owns the fixed limits of the counts of calls over time.

/** The calls of the installation are counted by minute, for one day: at most 0.2 MB and 17 kB for each operation that is used. */
export const installationStepSeconds = 60;
export const installationSteps = 1_440;
/** Those of one project for one day, too, but in steps of five minutes: about 50 kB with ten operations. */
export const projectStepSeconds = 300;
export const projectSteps = 288;
/** Records of calls before the start that are counted at most, when somebody looks for the first time: about 0.3 seconds of a reader. */
export const pastCallsMax = 50_000;
/** Projects whose calls are counted over time at once, besides those that somebody watches. */
export const countedProjectsMax = 50;
/** A project without calls for this time is removed for another one. */
export const idleProjectMs = 600_000;
