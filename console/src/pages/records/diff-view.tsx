import type { Kind } from '@vitae/contract'
import { api } from '../../api.ts'
import type { AdminAnswer, Version } from '@vitae/contract/admin'
import { Badge, type Tone } from '../../elements/badge.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { formatValue } from '../../format.ts'
import { useQuery } from '../../use-query.ts'

type Diff = AdminAnswer<'diffPersonVersions'>

type Change = Diff['changes'][number]

/** Colours for the changes that users most often watch for; other changes are plain. */
const tones: Record<string, Tone> = {
  job_change: 'accent',
  promotion: 'good',
  return: 'accent',
  headcount: 'warning',
  funding: 'warning',
}

interface Props {
  kind: Kind
  reference: string
  from: Version
  to: Version
}

/** The differences between two versions, value by value. */
export function DiffView({ kind, reference, from, to }: Props) {
  const diff = useQuery(`diff ${from.id} ${to.id}`, (signal) =>
    api.get(`/records/${kind}/:ref/diff`, { ref: reference, from: from.fetched_at, to: to.fetched_at }, signal),
  )
  const title = (
    <span>
      Changes from <Time at={from.fetched_at} /> to <Time at={to.fetched_at} />
    </span>
  )
  return (
    <Panel title={title}>
      <Loaded query={diff}>
        {({ changes }) => (
          <DataTable<Change & { place: number }>
            caption="Changes between the two versions"
            rows={changes.map((change, place) => ({ ...change, place }))}
            keyOf={({ place }) => String(place)}
            columns={[
              {
                label: 'Change',
                head: true,
                cell: ({ kind }) => <Badge tone={tones[kind] ?? 'neutral'}>{kind.replaceAll('_', ' ')}</Badge>,
              },
              { label: 'Field', cell: ({ path }) => <FieldPath path={path} /> },
              { label: 'Before', cell: ({ before }) => <Side of={before} class="before" /> },
              { label: 'After', cell: ({ after }) => <Side of={after} class="after" /> },
            ]}
            empty={<EmptyState title="The two versions say the same." />}
          />
        )}
      </Loaded>
    </Panel>
  )
}

/** The value before or after a change. */
function Side({ of: value, class: name }: { of: unknown; class: 'before' | 'after' }) {
  const Tag = name === 'before' ? 'del' : 'ins'
  return (
    <Tag class={name}>
      <Value of={value} />
    </Tag>
  )
}

/** Formats a value of a record: lists and objects entry by entry, partial dates as ISO text. */
function Value({ of: value }: { of: unknown }) {
  if (typeof value !== 'object' || value === null) return <bdi>{formatValue(value)}</bdi>
  if ('iso' in value) return <>{formatValue(value.iso)}</>
  if (Array.isArray(value) && value.length === 0) return <>–</>
  return (
    <dl>
      {Object.entries(value).map(([field, part]) => (
        <>
          <dt>{Array.isArray(value) ? Number(field) + 1 : field.replaceAll('_', ' ')}</dt>
          <dd>
            <Value of={part} />
          </dd>
        </>
      ))}
    </dl>
  )
}

/** The path of a field. Names of list elements are text of the record, so each gets its own text direction. */
function FieldPath({ path }: { path: string }) {
  return <code>{path.split(/(?<=\[)([^\]]*)/).map((part, place) => (place % 2 ? <bdi>{part}</bdi> : part))}</code>
}
