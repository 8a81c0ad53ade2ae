import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { Time } from '../../../elements/time/time.tsx'
import type { RecordView } from '../record-view.ts'

interface Fetched {
  provider: string
  at: string
  isFilled: boolean
}

/** Maps each unit of the shown record to its fetch; null on pages that do not show origins. */
export const Origins = createContext<((unit: string) => Fetched | null) | null>(null)

/** Returns the fetch behind each unit: the one that filled the unit, or the main fetch of the record. */
export function originsIn({ provider, fetched_at: at, filled }: RecordView): (unit: string) => Fetched | null {
  return (unit) => {
    const own = filled.find((one) => one.unit === unit)
    if (own) return { provider: own.provider, at: own.fetched_at, isFilled: true }
    return provider === null || at === null ? null : { provider, at, isFilled: false }
  }
}

/** The provider and age of a value, shown beside it. */
export function Origin({ unit }: { unit: string }) {
  const fetched = useContext(Origins)?.(unit)
  if (!fetched) return null
  return (
    <small class={fetched.isFilled ? 'origin filled' : 'origin'}>
      {fetched.provider}, <Time at={fetched.at} ago />
    </small>
  )
}
