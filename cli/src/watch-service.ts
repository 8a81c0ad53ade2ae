import { CommandError } from './command-error.ts'
import { sendHttp } from './send-http.ts'

/** A request that is silent for this long makes the command check that the service still responds. */
const silentMs = 5_000
/** A service that runs responds to `/healthz` in milliseconds, even under load. */
const probeMs = 8_000

/** Watches over one request. */
export interface ServiceWatch {
  /** Aborted once the service has stopped responding; the reason says so. */
  signal: AbortSignal
  /** Some bytes of the response have arrived. */
  heard(): void
  end(): void
}

/**
 * Ends a request to a service that no longer responds. A backup or an erasure may take hours, so the request itself has no time
 * limit: while it is silent, `/healthz` must respond.
 */
export function watchService(base: string): ServiceWatch {
  const abort = new AbortController()
  let timer: NodeJS.Timeout
  let isOver = false
  const rest = () => {
    clearTimeout(timer)
    if (!isOver) timer = setTimeout(() => void probe(), silentMs)
  }
  const probe = async () => {
    if (await responds(base)) rest()
    else if (!isOver) abort.abort(silentService(base, silentMs + probeMs))
  }
  rest()
  return {
    signal: abort.signal,
    heard: rest,
    end() {
      isOver = true
      clearTimeout(timer)
    },
  }
}

/** A refused connection is left to the request itself, whose own error says more. */
async function responds(base: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(probeMs)
    const { body } = await sendHttp(`${base}/healthz`, { method: 'GET', headers: {}, signal })
    body.on('error', () => undefined).resume()
    return true
  } catch (error) {
    return (error as Error).name !== 'TimeoutError'
  }
}

/** Fails if a service does not respond, before a command begins that has no watch of its own. */
export async function refuseSilent(url: string): Promise<void> {
  const base = url.replace(/\/+$/, '')
  if (!(await responds(base))) throw silentService(base, probeMs)
}

function silentService(base: string, ms: number): CommandError {
  const seconds = ms / 1_000
  return new CommandError(
    `The service at ${base} has not responded for ${seconds} seconds. Its process may be stopped or its machine overloaded. Check it, then run the command again.`,
  )
}
