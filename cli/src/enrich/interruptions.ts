/** Time for calls in progress after a stop. Aborted calls lose no credits: a resumed job replays them. */
const graceMs = 20_000

/** Turns Ctrl-C into a stop: rows in progress get some time to finish. A second Ctrl-C ends the process at once. */
export function interruptions(): { stop: AbortSignal; abort: AbortSignal } {
  const stop = new AbortController()
  const abort = new AbortController()
  const interrupt = () => {
    if (stop.signal.aborted) return
    process.stderr.write('\nStopping: rows in flight are finished. Run the same command again to continue.\n')
    stop.abort()
    setTimeout(() => abort.abort(), graceMs).unref()
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  return { stop: stop.signal, abort: abort.signal }
}
