// Owns the error that says why a cache file is not used. It is no defect: the index is built from the database instead.

/** A cache file is missing, damaged, or does not belong to this database. */
export class UnusableFile extends Error {
  /** @param reason a clause, such as "a check of its rows is wrong" */
  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path}: ${reason}`, options);
    this.name = "UnusableFile";
  }
}
