// Owns the fixed limits of the routes of the console.

/** Of the body of a request that signs in. */
export const signInBodyMaxBytes = 4_096;

/** Time in which this body must arrive. */
export const signInBodyMaxMs = 10_000;
