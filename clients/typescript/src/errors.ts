// Owns the errors of the client: one class for each kind of failure that a caller handles differently. A message always says what to do.

/** Every error of this client. */
export class MemledgerError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No connection, or it broke before the response was complete. The call may have been performed. `cause` has the error of `fetch`. */
export class ConnectionFailedError extends MemledgerError {}

/** No response within `timeoutMs`. The call may have been performed. */
export class RequestTimeoutError extends MemledgerError {}

/** What the server answered. */
export interface Refusal {
  readonly status: number;
  readonly code: number | null;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | null;
}

/** The server refused the call, or it failed. The message is that of the server and says what to do. */
export class ApiError extends MemledgerError {
  /** HTTP status. */
  readonly status: number;
  /** Error code of the API; null if the response is not one of memledger, such as that of a proxy. */
  readonly code: number | null;
  /** Details, such as the field and the reason; {} if there are none. */
  readonly data: Readonly<Record<string, unknown>>;
  /** From the header Retry-After; null without it. */
  readonly retryAfterSeconds: number | null;

  constructor({ status, code, message, data, retryAfterSeconds }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 400, 405, 413, 415: the request is invalid, or a limit is reached. */
export class BadRequestError extends ApiError {}
/** 401: the key is missing, unknown, expired or revoked. */
export class AuthenticationError extends ApiError {}
/** 402: the project has no credits left. */
export class PaymentRequiredError extends ApiError {}
/** 403: the key lacks the permission, or the plan does not include the feature. */
export class PermissionDeniedError extends ApiError {}
/** 404: the project has no such memory, record or export. */
export class NotFoundError extends ApiError {}
/** 409: the call conflicts with what is stored, such as a memory with the same content. */
export class ConflictError extends ApiError {}
/** 429: too many calls. */
export class RateLimitError extends ApiError {}
/** 500, 502, 504: the call failed. */
export class ServerError extends ApiError {}
/** 503: temporarily unavailable. Nothing was done, unless `isOutcomeUnknown`. */
export class UnavailableError extends ApiError {
  /** Whether the call may have been performed. */
  get isOutcomeUnknown(): boolean {
    return this.code === null || this.data.outcome === "unknown";
  }
}

export const classByStatus: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  405: BadRequestError,
  409: ConflictError,
  413: BadRequestError,
  415: BadRequestError,
  429: RateLimitError,
  500: ServerError,
  502: ServerError,
  503: UnavailableError,
  504: ServerError,
};

/** The error of the class that belongs to the status. */
export function toApiError(refusal: Refusal): ApiError {
  return new (classByStatus[refusal.status] ?? ApiError)(refusal);
}
