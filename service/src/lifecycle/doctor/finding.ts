/** One thing that `vitae doctor` looked at, and how to fix it. */
export interface Finding {
  name: string
  state: 'ok' | 'warning' | 'error'
  detail: string
  mend: string | null
}

/** A finding of something that is as it should be. */
export function ok(name: string, detail: string): Finding {
  return { name, state: 'ok', detail, mend: null }
}
