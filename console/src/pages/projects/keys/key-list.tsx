import { api } from '../../../api.ts'
import {
  environmentFilter,
  ListFilters,
  projectFilter,
  wantedOf,
  type Filter,
} from '../../../elements/lists/list-filters.tsx'
import { Back, PageHead, Panel } from '../../../elements/page-head.tsx'
import { Pager, useCursor } from '../../../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../../../elements/states.tsx'
import { useQuery } from '../../../use-query.ts'
import { KeyTable } from './key-table.tsx'

const filters: Filter[] = [
  { name: 'text', label: 'Key', placeholder: 'part of a label or id' },
  projectFilter,
  environmentFilter,
  {
    name: 'state',
    label: 'State',
    options: [
      ['', 'Any'],
      ['active', 'Active'],
      ['ended', 'Ended'],
    ],
  },
  {
    name: 'mode',
    label: 'Mode',
    options: [
      ['', 'Any'],
      ['live', 'Live'],
      ['test', 'Test'],
    ],
  },
  {
    name: 'order',
    label: 'Order',
    options: [
      ['', 'Newest first'],
      ['oldest', 'Oldest first'],
      ['last_used', 'Last used first'],
    ],
  },
]

/** The list of keys, of all projects or of one. */
export function KeyList({ query }: { query: URLSearchParams }) {
  const path = ['projects', 'keys']
  const wanted = { order: 'newest', ...wantedOf(query, filters) }
  const [cursor, setCursor] = useCursor(path, query)
  const keys = useQuery(`keys ${JSON.stringify(wanted)} ${cursor}`, (signal) =>
    api.get('/keys', { ...wanted, cursor, limit: 50 }, signal),
  )
  return (
    <>
      <Back to={['projects']}>Projects and keys</Back>
      <PageHead title="Keys">Revoked and expired keys do not work.</PageHead>
      <Panel>
        <ListFilters label="Find keys" path={path} query={query} filters={filters} />
        <Loaded query={keys}>
          {(data) => (
            <>
              <KeyTable caption="Keys" keys={data.keys} withProject empty={<EmptyState title="No key matches." />} />
              <Pager
                next={data.next_cursor}
                cursor={cursor}
                onPage={setCursor}
                all={{ list: 'listKeys', shown: data.keys.length, ask: wanted }}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  )
}
