// Owns the type of what is bound to a path.

/** What the router gives a handler. */
export interface Context {
  readonly request: Request;
  readonly path: string;
}

export type Handler = (context: Context) => Response | Promise<Response>;
