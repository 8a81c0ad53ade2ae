import type { AdminAnswer } from '@vitae/contract/admin'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { MeterBar } from '../../elements/charts/meter-bar.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState } from '../../elements/states.tsx'
import { formatNumber } from '../../format.ts'
import { hrefTo } from '../../router.ts'

type Disagreement = AdminAnswer<'scoreProviders'>['disagreements'][number]

type Field = Disagreement['fields'][number]

/** The fields in which two providers return different values for the same record. */
export function Disagreements({ all }: { all: Disagreement[] }) {
  if (all.length === 0)
    return (
      <Panel title="Where providers disagree">
        <EmptyState title="No record was given by two providers in this time.">
          Values can be compared only if two providers supplied the record.
        </EmptyState>
      </Panel>
    )
  return (
    <>
      {all.map((pair) => (
        <Pair key={`${pair.kind} ${pair.providers.join(' ')}`} of={pair} />
      ))}
    </>
  )
}

function Pair({ of: { kind, providers, records, fields, examples } }: { of: Disagreement }) {
  const title = `${providers.join(' and ')}: where they disagree about ${kind}`
  return (
    <Panel title={title}>
      <p class="panel-body faint">
        Compared records of both: {formatNumber(records)}. A value that only one of them has is no disagreement.
        {examples.length > 0 ? ' For example: ' : ''}
        {examples.map((key, index) => (
          <span key={key}>
            {index > 0 ? ', ' : ''}
            <a class="mono" href={hrefTo(['records', kind, key], { tab: 'history' })}>
              {key}
            </a>
          </span>
        ))}
      </p>
      <DataTable<Field>
        caption={title}
        rows={fields}
        keyOf={({ field }) => field}
        columns={[
          { label: 'Field', head: true, cell: ({ field }) => <code>{field}</code> },
          {
            label: 'Differs in',
            cell: ({ field, compared, differ }) => (
              <MeterBar used={differ} limit={compared} label={`Records in which ${field} differs`} />
            ),
          },
        ]}
        empty={<EmptyState title="They agree wherever both have a value." />}
      />
    </Panel>
  )
}
