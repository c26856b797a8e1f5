// Owns the explanation of errors of the operating system: the cause and what to do. Must never name a path or a user: the caller does.

export interface Cause {
  /** Completes "... failed: CAUSE." */
  readonly cause: string;
  /** One imperative sentence with a full stop. */
  readonly remedy: string;
}

const permission: Cause = {
  cause: "permission denied",
  remedy: "Give the user that runs memledger read and write permission, or run it as the owner.",
};

const causes: Readonly<Record<string, Cause>> = {
  EACCES: permission,
  EPERM: permission,
  EROFS: {
    cause: "the file system is read-only",
    remedy: "Mount it read-write.",
  },
  ENOSPC: { cause: "no space is left on the disk", remedy: "Free disk space." },
  EDQUOT: { cause: "the disk quota is exceeded", remedy: "Free disk space or raise the quota." },
  EFBIG: {
    cause: "the file size limit of the process is reached",
    remedy: "Raise the limit (ulimit -f), or use a file system that allows larger files.",
  },
  EIO: {
    cause: "the disk reports an input/output error",
    remedy: "Check the disk and the log of the operating system.",
  },
  ENOTDIR: { cause: "a part of the path is a file, not a directory", remedy: "Correct the path." },
  EEXIST: { cause: "it is a file, not a directory", remedy: "Rename or remove that file." },
  EISDIR: { cause: "it is a directory, not a file", remedy: "Rename or remove that directory." },
  ENOENT: { cause: "it does not exist", remedy: "Correct the path." },
  ENAMETOOLONG: { cause: "the path is too long", remedy: "Choose a shorter path." },
  ELOOP: { cause: "the path contains too many symbolic links", remedy: "Correct the links." },
  EMFILE: {
    cause: "the process has too many open files",
    remedy: "Raise the limit (ulimit -n) and start again.",
  },
  ENFILE: { cause: "the system has too many open files", remedy: "Close other programs and try again." },
  ENOMEM: { cause: "the system is out of memory", remedy: "Free memory and try again." },
  ENOTSUP: {
    cause: "the file system does not support the operation",
    remedy: "Use a file system that supports it.",
  },
  EBUSY: { cause: "another program uses the file", remedy: "Stop that program and try again." },
};

/** Null for an error that is not from the operating system, or that this table does not contain. */
export function explainSystemError(error: unknown): Cause | null {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? (causes[code] ?? null) : null;
}

/** `what` completed by the cause and the remedy of an error of the operating system; other errors as they are. */
export function explainedAs(what: string, error: unknown): unknown {
  const found = explainSystemError(error);
  return found === null ? error : new Error(`${what}: ${found.cause}. ${found.remedy}`, { cause: error });
}
