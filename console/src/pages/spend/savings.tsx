import { api } from '../../api.ts'
import { Loaded } from '../../elements/states.tsx'
import { Tile } from '../../elements/tile.tsx'
import type { TimeWindow } from '../../elements/time/time-window.ts'
import { formatAmount, formatCalls, formatNumber } from '../../format.ts'
import { useQuery } from '../../use-query.ts'

/** The provider calls, credits and money that the store saved in a time window. */
export function Savings({ window: { since, until } }: { window: Pick<TimeWindow, 'since' | 'until'> }) {
  const query = useQuery(`savings ${since} ${until}`, (signal) => api.get('/usage/savings', { since, until }, signal))
  return (
    <Loaded query={query}>
      {({ calls, credits, money, currency }) => (
        <div class="tiles">
          <Tile label="The store saved" value={formatCalls(calls)} tone="good">
            answers that needed no provider
          </Tile>
          <Tile label="Saved credits of providers" value={formatNumber(credits)}>
            {credits === null ? 'no provider reports what a call costs' : 'at what they reported per call'}
          </Tile>
          <Tile label="Saved money" value={formatAmount(money, currency)}>
            {money === null ? 'set VITAE_<PROVIDER>_COST to see it' : 'at the price of an answered call'}
          </Tile>
        </div>
      )}
    </Loaded>
  )
}
