import type { Kind } from '@vitae/contract'
import { api } from '../../api.ts'
import type { RecordView } from './record-view.ts'
import { Badge } from '../../elements/badge.tsx'
import { JsonView } from '../../elements/json-view.tsx'
import { Back, PageHead, Panel, Tabs } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { hrefTo } from '../../router.ts'
import { useCan } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { CompanyCard } from './cards/company-card.tsx'
import { History } from './history.tsx'
import { Origins, originsIn } from './cards/origin.tsx'
import { PersonCard } from './cards/person-card.tsx'
import { Provenance } from './provenance.tsx'
import { RawPayloads } from './raw-payloads.tsx'
import { RecordCalls } from './record-calls.tsx'
import { RecordActions } from './record-actions.tsx'
import { WhoSaw } from './who-saw.tsx'

const tabs = [
  ['card', 'Card'],
  ['history', 'History'],
  ['calls', 'Calls'],
  ['seen', 'Who saw this'],
  ['json', 'Record JSON'],
  ['raw', 'Raw payloads'],
] as const

/** One record as a card, with its history, calls and data. */
export function RecordDetails({ kind, reference, query }: { kind: Kind; reference: string; query: URLSearchParams }) {
  const record = useQuery(`record ${kind} ${reference}`, async (signal) => {
    const view = await api.get(`/records/${kind}/:ref`, { ref: reference }, signal)
    return view as RecordView
  })
  const mayAudit = useCan('listAudit')
  const shown = tabs.filter(([name]) => name !== 'seen' || mayAudit)
  const tab = shown.find(([name]) => name === query.get('tab'))?.[0] ?? 'card'
  return (
    <>
      <Back to={['records']}>Records</Back>
      <PageHead
        title={record.data?.name ?? record.data?.key ?? 'Record'}
        actions={
          record.data ? <RecordActions view={record.data} reference={reference} onChange={record.reload} /> : null
        }
      >
        <code>{record.data?.key ?? reference}</code> {record.data?.derived ? <Badge>derived</Badge> : null}
        {mayAudit && record.data ? (
          <>
            {' '}
            · <a href={hrefTo(['audit'], { record: record.data.key, kind })}>Audit entries of this record</a>
          </>
        ) : null}
      </PageHead>
      <Loaded query={record}>
        {(view) => (
          <>
            <Tabs
              label="Views of the record"
              tabs={shown.map(([name, text]) => ({
                text,
                href: hrefTo(['records', kind, reference], { tab: name }),
                current: name === tab,
              }))}
            />
            <Tab tab={tab} view={view} query={query} reference={reference} />
          </>
        )}
      </Loaded>
    </>
  )
}

interface TabProps {
  tab: (typeof tabs)[number][0]
  view: RecordView
  reference: string
  query: URLSearchParams
}

function Tab({ tab, view, query, reference }: TabProps) {
  if (tab === 'history') return <History kind={view.kind} reference={reference} query={query} />
  if (tab === 'calls') return <RecordCalls view={view} query={query} />
  if (tab === 'seen') return <WhoSaw view={view} />
  if (tab === 'raw') return <RawPayloads fetches={view.fetches} />
  if (view.record === null)
    return <EmptyState title="Nothing is served under this record now.">Its history may show why.</EmptyState>
  if (tab === 'json') return <JsonView text={JSON.stringify(view.record)} label="record as JSON" />
  return (
    <div class="record-columns">
      <Panel>
        <div class="panel-body">
          <Origins.Provider value={originsIn(view)}>
            {view.kind === 'people' ? (
              <PersonCard person={view.record} withName={false} />
            ) : (
              <CompanyCard company={view.record} withName={false} />
            )}
          </Origins.Provider>
        </div>
      </Panel>
      <Provenance view={view} />
    </div>
  )
}
