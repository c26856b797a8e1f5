// Owns the question whether the path of a request is the one that was sent. Request.url is no proof of it: the URL parser resolves "..",
// "%2e%2e" and backslashes, so that a path that names one thing ends up at another.

/**
 * Bun's own router compares a path as it was sent and has found `pattern`; whether what the URL parser made of it (`url`) is still at
 * that pattern. Each is a segment that a parameter of the pattern, such as `:memory_id`, stands for, or equal.
 */
export function isAsSent(url: string, pattern: string): boolean {
  const found = pathOf(url).split("/");
  const expected = pattern.split("/");
  return (
    found.length === expected.length &&
    expected.every((segment, index) =>
      segment.startsWith(":") ? found[index] !== "" : segment === found[index],
    )
  );
}

function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = /[?#]/.exec(url)?.index;
  return start === -1 ? "" : url.slice(start, end);
}
