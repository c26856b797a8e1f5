// Owns the options of fetch that the types lack: no proxy even if HTTP_PROXY is set, no other timeout than that of the caller, no debug output.

/** Adds them to the options of a request. */
export function withoutProxy<Init extends object>(init: Init): Init {
  return Object.assign(init, { proxy: false, timeout: false, verbose: false });
}
