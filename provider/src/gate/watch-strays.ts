import { nameThrown } from './broken-agreement.ts'
import { providerInCharge } from './provider-in-charge.ts'

/** A failure that nobody waited for: a rejected promise that was left behind, or an exception in a callback. */
interface Watched {
  /** It belongs to the code of a provider, and the process goes on. `what` names it without its message. */
  onStray(provider: string, what: string): void
  /** It belongs to nobody: the process should end, as it would without the watch. */
  onOther(error: unknown): void
}

/** Watches the failures of the process that nobody waits for; the returned function ends that. */
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
