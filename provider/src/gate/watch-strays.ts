import { nameThrown } from './broken-agreement.ts'
import { providerInCharge } from './provider-in-charge.ts'

/** Handlers for unhandled failures: a rejected promise or an exception in a callback. */
interface Watched {
  /** The failure comes from provider code; the process continues. `what` describes it without its message. */
  onStray(provider: string, what: string): void
  /** The failure does not come from a provider. The process should end, as it would without this watch. */
  onOther(error: unknown): void
}

/** Watches the process for unhandled failures; the returned function stops the watch. */
export function watchStrays({ onStray, onOther }: Watched): () => void {
  const note = (error: unknown): void => {
    const provider = providerInCharge()
    if (provider === null) return onOther(error)
    onStray(provider, nameThrown(error))
  }
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
  return () => {
    process.off('unhandledRejection', note)
    process.off('uncaughtException', note)
  }
}
