/** How long calls under way may take once the job is stopped. What they cost is not lost: they are replayed. */
const graceMs = 20_000

/** Ctrl-C lets the rows in flight end, but not for ever; a second one ends the process at once. */
export function interruptions(): { stop: AbortSignal; abort: AbortSignal } {
  const stop = new AbortController()
  const abort = new AbortController()
  const interrupt = () => {
    if (stop.signal.aborted) return
    process.stderr.write('\nStopping: rows in flight are finished. Give the same command again to go on.\n')
    stop.abort()
    setTimeout(() => abort.abort(), graceMs).unref()
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  return { stop: stop.signal, abort: abort.signal }
}
