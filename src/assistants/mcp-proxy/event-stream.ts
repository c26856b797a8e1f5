// Owns reading the data of server-sent events (WHATWG HTML, section 9.2). Knows nothing of the messages in them.

/** The data of each event. An event that the end of the stream cuts off is dropped, as the standard says. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of readLines(stream)) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    if (line !== "" || data.length === 0) continue;
    yield data.join("\n");
    data = [];
  }
}

/** The lines that have an end: LF, CR LF or CR. */
async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Parts are joined once, because a line may arrive in thousands of them.
  let parts: string[] = [];
  let endsWithReturn = false;
  for await (const chunk of stream) {
    const decoded = decoder.decode(chunk, { stream: true });
    if (decoded === "") continue;
    // The second half of CR LF.
    const text: string = endsWithReturn && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
    endsWithReturn = text.endsWith("\r");
    for (const [index, part] of text.split(/\r\n|\n|\r/).entries()) {
      if (index > 0) {
        yield parts.join("");
        parts = [];
      }
      parts.push(part);
    }
  }
}
