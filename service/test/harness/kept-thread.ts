import { createRequire, syncBuiltinESMExports } from 'node:module'

interface Port {
  on(event: 'message', listener: (message: unknown) => void): unknown
  postMessage(message: unknown): void
}

/**
 * The thread behind `keptThread`: runs the module of the store's thread again for each store. What that imports stays
 * loaded, and that is what takes the time.
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
/** What the store does with its messages; its own, and not those of `keptThread`, reach it. */
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
    // As it would end a thread of its own.
    setImmediate(() => {
      throw error
    })
  })
}

/** Its store is closed: nothing that belonged to it goes on. */
function rest(): void {
  for (const timer of intervals.splice(0)) clearInterval(timer)
  onMessage = null
  port.postMessage('rests')
}
