import { api } from '../../api.ts'
import type { Call } from '@vitae/contract/admin'
import type { RecordView } from './record-view.ts'
import { Panel } from '../../elements/page-head.tsx'
import { Pager, useCursor } from '../../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { formatCalls, formatCredits } from '../../format.ts'
import { useQuery } from '../../use-query.ts'
import { CallTable, callsAtOnce, NoCalls } from '../calls/call-table.tsx'

/** The calls that returned a record, with their charges, to see whether an environment paid twice. */
export function RecordCalls({ view: { kind, key }, query: address }: { view: RecordView; query: URLSearchParams }) {
  const [cursor, setCursor] = useCursor(['records', kind, key], address)
  const query = useQuery(`calls of ${kind} ${key} ${cursor}`, (signal) =>
    api.get('/calls', { record: key, kind, cursor, limit: callsAtOnce }, signal),
  )
  return (
    <Panel title="Calls">
      <Loaded query={query}>
        {({ calls, next_cursor: next }) => (
          <>
            {calls.length > 0 ? <p class="table-note">{summary(calls, next === null && cursor === null)}</p> : null}
            <CallTable
              of="record"
              calls={calls}
              empty={
                next === null ? (
                  <EmptyState title="No call was answered with this record, as far as the call log goes back." />
                ) : (
                  <NoCalls filtered more />
                )
              }
            />
            <Pager next={next} cursor={cursor} onPage={setCursor} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

/** Sums the charges per environment, so that a double charge is visible. */
function summary(calls: Call[], whole: boolean): string {
  const paid = new Map<string, { times: number; credits: number }>()
  for (const { project, environment, credits } of calls) {
    if (credits === 0) continue
    const place = `${project}/${environment}`
    const sum = paid.get(place) ?? { times: 0, credits: 0 }
    paid.set(place, { times: sum.times + 1, credits: sum.credits + credits })
  }
  const parts = [...paid].map(
    ([place, { times, credits }]) =>
      `${place} paid ${times === 1 ? 'once' : `${times} times`}, ${formatCredits(credits)}`,
  )
  const about = whole ? formatCalls(calls.length) : `These ${formatCalls(calls.length)}`
  return `${about}: ${parts.length === 0 ? 'nothing was charged' : parts.join('; ')}.`
}
