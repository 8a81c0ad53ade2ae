import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { signedInEvent } from './session.tsx'

/** Loads everything on the page again. */
export function reloadAll(): void {
  dispatchEvent(new Event(signedInEvent))
}

/** The state of a query. Old data stays while a reload is in progress. */
export interface QueryState<T> {
  data: T | null
  error: unknown
  loading: boolean
  reload: () => void
}

/**
 * Loads data when `key` changes, on `reload`, and every `pollMs` while the page is visible. A response that arrives
 * after `key` has changed is ignored.
 */
export function useQuery<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  { pollMs = 0 }: { pollMs?: number } = {},
): QueryState<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: unknown; loading: boolean }>(() =>
    fresh(key),
  )
  const [round, setRound] = useState(0)
  const asking = useRef(ask)
  asking.current = ask

  useEffect(() => {
    const abort = new AbortController()
    setState((old) => (old.key === key ? { ...old, loading: true } : fresh(key)))
    asking.current(abort.signal).then(
      (data) => abort.signal.aborted || setState({ key, data, error: null, loading: false }),
      (error: unknown) => abort.signal.aborted || setState((old) => ({ ...old, key, error, loading: false })),
    )
    return () => abort.abort()
  }, [key, round])

  useEffect(() => {
    if (pollMs === 0) return undefined
    const timer = setInterval(() => document.hidden || setRound((count) => count + 1), pollMs)
    return () => clearInterval(timer)
  }, [pollMs])

  const reload = useCallback(() => setRound((count) => count + 1), [])
  useEffect(() => {
    addEventListener(signedInEvent, reload)
    return () => removeEventListener(signedInEvent, reload)
  }, [reload])
  const current = state.key === key ? state : fresh<T>(key)
  return { data: current.data, error: current.error, loading: current.loading, reload }
}

function fresh<T>(key: string): { key: string; data: T | null; error: unknown; loading: boolean } {
  return { key, data: null, error: null, loading: true }
}
