// Owns the text of the saved page: one HTML file without anything outside it. The build writes it, and the page itself writes it again to
// compute its own SHA-256, so it must never import anything.

export interface SavedPageParts {
  /** Of memledger. */
  readonly version: string;
  readonly script: string;
  readonly style: string;
  /** Base64 of the SHA-256 of both texts. */
  readonly scriptHash: string;
  readonly styleHash: string;
}

/** @throws Error for a script or style that would end its own element, or that browsers would change when they read it */
export function savedPage({ version, script, style, scriptHash, styleHash }: SavedPageParts): string {
  if (/<\/script|<!-{2}|[\r\0]/i.test(script) || /<\/style|[\r\0]/i.test(style))
    throw new Error("The script or style of the saved page cannot be inside an HTML file.");
  // Nothing may be loaded from anywhere: `default-src 'none'` includes connections, images and frames. The worker is the script itself.
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    `style-src 'sha256-${styleHash}'`,
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="version" content="${version}">
<title>memledger verifier ${version}</title>
<style>${style}</style>
</head>
<body>
<div id="verifier"></div>
<noscript>This page verifies in your browser, so it needs JavaScript. Without it, run: memledger audit verify FILE</noscript>
<script>${script}${end("script")}
</body>
</html>
`;
}

/** The closing tag of an element. It must not be in the text of this script, which would end there. */
function end(name: string): string {
  return `</${name}>`;
}
