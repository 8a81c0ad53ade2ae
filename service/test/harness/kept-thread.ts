import { createRequire, syncBuiltinESMExports } from 'node:module'

interface Port {
  on(event: 'message', listener: (message: unknown) => void): unknown
  postMessage(message: unknown): void
}

/**
 * The thread behind `keptThread`: runs the module of the store's thread again for each store. Its imports stay loaded,
 * which saves most of the time.
 */
const threads = createRequire(import.meta.url)('node:worker_threads') as {
  parentPort: Port
  workerData: unknown
}
const { parentPort: port } = threads
const intervals: NodeJS.Timeout[] = []
const { setInterval: startInterval } = globalThis
globalThis.setInterval = ((...args: Parameters<typeof setInterval>) => {
  const timer = startInterval(...args)
  intervals.push(timer)
  return timer
}) as typeof setInterval
/** The store's message handler. It gets the store's messages, not those of `keptThread`. */
let onMessage: ((message: unknown) => void) | null = null
let stores = 0

port.on('message', (message: unknown) => {
  if (message === 'rest') rest()
  else if (typeof message === 'object' && message !== null && 'open' in message) open(message as Opening)
  else onMessage?.(message)
})
port.on = (_event, listener) => {
  onMessage = listener
}

interface Opening {
  open: string
  workerData: unknown
}

function open({ open: url, workerData }: Opening): void {
  threads.workerData = workerData
  syncBuiltinESMExports()
  import(`${url}?${(stores += 1)}`).catch((error: unknown) => {
    // An error ends this thread, as it would end a separate one.
    setImmediate(() => {
      throw error
    })
  })
}

/** Its store is closed: stops everything that belonged to it. */
function rest(): void {
  for (const timer of intervals.splice(0)) clearInterval(timer)
  onMessage = null
  port.postMessage('rests')
}
