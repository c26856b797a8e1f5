// Owns the type of the handlers that are bound to paths.

/** The arguments of a handler. */
interface Context {
  readonly request: Request;
  readonly path: string;
}

export type Handler = (context: Context) => Response | Promise<Response>;
