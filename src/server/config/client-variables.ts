// Owns the names of variables that programs of the user read to call a server elsewhere. They are no settings of the server.

/** The API key. It has no option, because the command line of a process can be read by other users. */
export const apiKeyVariable = "MEMLEDGER_API_KEY";
