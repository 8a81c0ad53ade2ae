import { CommandError, noVitae } from '../command-error.ts'
import { sendHttp } from './send-http.ts'

/** After this silence, the command checks that the service still responds. */
const silentMs = 5_000
/** A running service answers `/healthz` in milliseconds, even under load. */
const probeMs = 8_000

/** Watches one request. */
export interface ServiceWatch {
  /** Aborts when the service stops responding, with the reason. */
  signal: AbortSignal
  /** Reports that bytes of the response arrived. */
  heard(): void
  end(): void
}

/**
 * Ends a request to a service that no longer responds. Backups and erasures may take hours, so the request has no time
 * limit; `/healthz` must respond while it is silent.
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
    if ((await probeError(base))?.name !== 'TimeoutError') rest()
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

/** Why the service does not respond; null if it does. */
async function probeError(base: string): Promise<Error | null> {
  try {
    const signal = AbortSignal.timeout(probeMs)
    const { body } = await sendHttp(`${base}/healthz`, { method: 'GET', headers: {}, signal })
    body.on('error', () => undefined).resume()
    return null
  } catch (error) {
    return error as Error
  }
}

/** Fails if a service does not respond. For commands whose client would retry for long. */
export async function refuseSilent(url: string, { mayStartLater = false } = {}): Promise<void> {
  const base = url.replace(/\/+$/, '')
  const error = await probeError(base)
  if (error?.name === 'TimeoutError') throw silentService(base, probeMs)
  if (error !== null && !mayStartLater) throw noVitae(base, error)
}

function silentService(base: string, ms: number): CommandError {
  const seconds = ms / 1_000
  return new CommandError(
    `The service at ${base} has not responded for ${seconds} seconds. Its process may be stopped or its machine overloaded. Check it, then run the command again.`,
  )
}
