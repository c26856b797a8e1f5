// Owns reading the data of server-sent events (WHATWG HTML, section 9.2). Knows nothing of the messages in them.

/** The data of each event. Lines end with LF, CR LF or CR. An event that the end of the stream cuts off is dropped, as the standard says. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of CR LF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
      if (line !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
  }
}
