// Owns what the package exports.

export type { CallOptions } from "./calls.ts";
export { Memledger } from "./client.ts";
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionFailedError,
  MemledgerError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  RequestTimeoutError,
  ServerError,
  UnavailableError,
} from "./errors.ts";
export type * from "./generated/models.ts";
export { version } from "./generated/operations.ts";
export type { ClientOptions } from "./settings.ts";
