import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** The state of a change: whether it is in progress, and its error to show. */
export interface Action {
  busy: boolean
  error: unknown
  /** Resolves to true when the work succeeded. */
  run: (work: () => Promise<unknown>) => Promise<boolean>
  clear: () => void
}

/** Runs the changes of a form or button and keeps their state. */
export function useAction(): Action {
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null })
  const here = useRef(true)
  useEffect(() => {
    here.current = true
    return () => void (here.current = false)
  }, [])
  const run = useCallback(async (work: () => Promise<unknown>) => {
    setState({ busy: true, error: null })
    try {
      await work()
      if (here.current) setState({ busy: false, error: null })
      return true
    } catch (error) {
      if (here.current) setState({ busy: false, error })
      return false
    }
  }, [])
  const clear = useCallback(() => setState({ busy: false, error: null }), [])
  return { ...state, run, clear }
}
