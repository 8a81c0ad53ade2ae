import type { Kind } from '@vitae/contract'
import { api } from '../../api.ts'
import type { Version } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { hrefTo, goTo } from '../../router.ts'
import { useQuery } from '../../use-query.ts'
import { DiffView } from './diff-view.tsx'

interface Props {
  kind: Kind
  reference: string
  query: URLSearchParams
}

/** The stored versions of a record, and the changes between two of them. */
export function History({ kind, reference, query }: Props) {
  const history = useQuery(`history ${kind} ${reference}`, (signal) =>
    api.get(`/records/${kind}/:ref/history`, { ref: reference }, signal),
  )
  return (
    <Loaded query={history}>
      {({ versions }) => {
        const to = pick(versions, query.get('to')) ?? versions[0]
        const from = pick(versions, query.get('from')) ?? versions[versions.findIndex((one) => one === to) + 1]
        const choose = (end: 'from' | 'to', id: number) => {
          const chosen = { from: String(from?.id ?? ''), to: String(to?.id ?? ''), [end]: String(id) }
          goTo(hrefTo(['records', kind, reference], { tab: 'history', ...chosen }), { replace: true })
        }
        return (
          <>
            <Panel title="Versions">
              <VersionTable versions={versions} from={from?.id} to={to?.id} onChoose={choose} />
            </Panel>
            {from && to && from.id !== to.id ? (
              <DiffView kind={kind} reference={reference} from={from} to={to} />
            ) : (
              <EmptyState title="There is only one version.">
                A second one comes with the next fetch: “Refresh” makes one now.
              </EmptyState>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function pick(versions: Version[], id: string | null): Version | undefined {
  return id === null ? undefined : versions.find((version) => String(version.id) === id)
}

interface TableProps {
  versions: Version[]
  from: number | undefined
  to: number | undefined
  onChoose: (end: 'from' | 'to', id: number) => void
}

function VersionTable({ versions, from, to, onChoose }: TableProps) {
  const choice = (end: 'from' | 'to', version: Version) => (
    <input
      type="radio"
      name={end}
      aria-label={`Compare ${end} version ${version.id}`}
      checked={version.id === (end === 'from' ? from : to)}
      onChange={() => onChoose(end, version.id)}
    />
  )
  return (
    <DataTable<Version>
      caption="Versions, newest first"
      rows={versions}
      keyOf={({ id }) => String(id)}
      columns={[
        { label: 'Fetched', head: true, cell: (version) => <Time at={version.fetched_at} /> },
        { label: 'From', cell: (version) => choice('from', version) },
        { label: 'To', cell: (version) => choice('to', version) },
        { label: 'Provider', cell: ({ provider }) => provider },
        {
          label: 'Marks',
          cell: ({ current, thin }) =>
            current || thin ? (
              <>
                {current ? <Badge tone="good">served</Badge> : null} {thin ? <Badge tone="warning">thin</Badge> : null}
              </>
            ) : null,
        },
        { label: 'Seen at source', cell: (version) => <Time at={version.source_updated_at} /> },
      ]}
      empty={<EmptyState title="No versions are stored." />}
    />
  )
}
