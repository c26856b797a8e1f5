// Runs the real command line in a pseudo-terminal, as a person does. Must never end a process that it did not start.

import { main } from "../program.ts";

export interface InTerminal {
  /** Waits until the text is shown. @returns all that was shown so far. @throws Error when the program ends without it */
  until(text: string): Promise<string>;
  /** Ctrl+C. @returns the exit code */
  interrupt(): Promise<number>;
  /** @returns all that was shown when the program has ended */
  ended(): Promise<string>;
}

export function openTerminal(words: readonly string[], { columns = 80 } = {}): InTerminal {
  let shown = "";
  let heard = Promise.withResolvers<void>();
  const wake = () => {
    heard.resolve();
    heard = Promise.withResolvers();
  };
  const decoder = new TextDecoder();
  const child = Bun.spawn([process.execPath, main, ...words], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", TERM: "xterm" },
    terminal: {
      cols: columns,
      rows: 50,
      data(_, bytes) {
        shown += decoder.decode(bytes, { stream: true }).replaceAll("\r\n", "\n");
        wake();
      },
      exit: wake,
    },
  });
  const end = child.exited.then((exitCode) => {
    wake();
    return exitCode;
  });
  return {
    async until(text) {
      while (!shown.includes(text)) {
        if (child.exitCode !== null) throw new Error(`the program ended without "${text}": ${shown}`);
        await heard.promise;
      }
      return shown;
    },
    async interrupt() {
      child.terminal?.write("\u0003");
      return end;
    },
    async ended() {
      await end;
      return shown;
    },
  };
}
