// Starts a worker that verifies. The page names its script, because the name has a hash of its content.

export function startWorker(): Worker {
  const named = document.querySelector<HTMLMetaElement>("meta[name=memledger-verification-worker]");
  if (named === null) throw new Error("The page names no script for the verification. Load the page again.");
  return new Worker(named.content);
}
