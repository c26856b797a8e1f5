// Owns the type KnownBackup: a backup that may still contain what is erased from the database.

export interface KnownBackup {
  /** Name of the file, without its folder. */
  readonly file: string;
  /** When it was begun, milliseconds since 1970. */
  readonly atMs: number;
  /** When it will be removed at the latest, if scheduled backups succeed; null: it is kept. */
  readonly endsAtMs: number | null;
}
