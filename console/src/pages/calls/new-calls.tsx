import { useEffect } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Call } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { formatNumber } from '../../format.ts'
import { useQuery } from '../../use-query.ts'
import { callsAtOnce } from './call-table.tsx'

export interface CallPage {
  calls: Call[]
  next_cursor: string | null
}

const pollMs = 3_000

interface Props {
  wanted: Record<string, string>
  shown: Call[]
  onShow: () => void
}

/**
 * Counts the calls made since the list was loaded. The list stays still until the user asks; an empty list shows its
 * first calls at once.
 */
export function NewCalls({ wanted, shown, onShow }: Props) {
  const newest = useQuery(
    `new calls ${JSON.stringify(wanted)}`,
    (signal) => api.get('/calls', { ...wanted, limit: callsAtOnce }, signal),
    { pollMs },
  )
  const known = new Set(shown.map(({ request_id: id }) => id))
  const oldest = shown.at(-1)?.at ?? ''
  const fresh = (newest.data?.calls ?? []).filter(({ request_id: id, at }) => !known.has(id) && at >= oldest)
  const isFirst = fresh.length > 0 && shown.length === 0
  useEffect(() => {
    if (isFirst) onShow()
  }, [isFirst, onShow])
  const count = fresh.length === callsAtOnce ? `${callsAtOnce} or more` : formatNumber(fresh.length)
  return (
    <div class="new-rows" role="status">
      {fresh.length === 0 ? (
        <span class="faint">No newer calls.</span>
      ) : (
        <Button small icon="refresh" onClick={onShow}>
          {`${count} new ${fresh.length === 1 ? 'call' : 'calls'}`}
        </Button>
      )}
    </div>
  )
}
