// Owns the check that the path of a request is the path that was sent. Request.url is not enough: the URL parser resolves "..", "%2e%2e"
// and backslashes, so a path can become the path of another route.

/**
 * Whether `url`, after the URL parser, still matches `pattern`, which Bun's router found for the path as sent. Each segment of the path
 * equals the segment of the pattern, or is the value of a parameter such as `:memory_id`. A `*` at the end is any further segments.
 */
export function isAsSent(url: string, pattern: string): boolean {
  const found = pathOf(url).split("/");
  const expected = pattern.split("/");
  const isOpen = expected.at(-1) === "*";
  return (
    (isOpen ? found.length >= expected.length : found.length === expected.length) &&
    expected.every((segment, index) =>
      segment.startsWith(":") || segment === "*" ? found[index] !== "" : segment === found[index],
    )
  );
}

function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = /[?#]/.exec(url)?.index;
  return start === -1 ? "" : url.slice(start, end);
}
