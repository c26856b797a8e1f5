// Owns what a scenario of an official client is: a use of it whose result can be compared. Must never know whether a gateway is between.

export interface Scenario<Client> {
  readonly name: string;
  /** What the client gave its caller, errors included, as plain data. */
  run(client: Client): Promise<unknown>;
}

/** Everything that a client says about an answer or an error, so that two runs can be compared. */
export async function settled(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return { answer: plain(await work()) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { status, code, type, error: body } = error as Error & Record<string, unknown>;
    return plain({ name: error.constructor.name, message: error.message, status, code, type, body });
  }
}

/** Every item of a stream, and how it ended. */
export async function collected(open: () => Promise<AsyncIterable<unknown>>): Promise<unknown> {
  const items: unknown[] = [];
  const end = await settled(async () => {
    for await (const item of await open()) items.push(plain(item));
  });
  return { items, end };
}

function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}
