// Owns the names of the headers that only the console sends.

/** Proves that a page of the console sends the request, and no other page. */
export const tokenHeader = "Memledger-Request-Token";
/** Id of the project that a request is for. */
export const projectHeader = "Memledger-Project";
