import type { Company, Kind, Person } from '@vitae/contract'
import { useState } from 'preact/hooks'
import { failureWords, headerWords } from '../../build-words.ts'
import { Badge, SourceBadge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { JsonView } from '../../elements/json-view.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { formatMs } from '../../format.ts'
import { CompanyCard } from '../records/cards/company-card.tsx'
import { PersonCard } from '../records/cards/person-card.tsx'
import type { LookupAnswer } from './send-lookup.ts'

/** Shows a response: status, record or failure, and headers with their meaning. */
export function AnswerView({ answer, kind }: { answer: LookupAnswer; kind: Kind }) {
  const [asCard, setAsCard] = useState(false)
  const found = answer.status === 200
  return (
    <div class="stack">
      <Panel
        title={<Summary answer={answer} />}
        actions={
          found ? (
            <Button small onClick={() => setAsCard(!asCard)}>
              {asCard ? 'Show JSON' : 'Show card'}
            </Button>
          ) : null
        }
      >
        <div class="panel-body">
          {found ? <Certainty answer={answer} /> : <Meaning answer={answer} />}
          {asCard && found ? (
            <Card kind={kind} body={answer.body} />
          ) : (
            <JsonView text={answer.body} label="body of the answer" />
          )}
        </div>
      </Panel>
      <Panel title="Headers explained">
        <HeaderTable headers={answer.headers} />
      </Panel>
    </div>
  )
}

function Summary({ answer }: { answer: LookupAnswer }) {
  const source = headerOf(answer, 'x-data-source')
  return (
    <>
      Answer
      <Badge tone={answer.status < 300 ? 'good' : answer.status < 500 ? 'warning' : 'danger'}>{answer.status}</Badge>
      {source ? <SourceBadge source={source} /> : null}
      <span class="faint">{formatMs(answer.tookMs)}</span>
    </>
  )
}

/** Shows the likelihood of a match and the fields that agreed; renders nothing for a lookup. */
function Certainty({ answer }: { answer: LookupAnswer }) {
  const likelihood = headerOf(answer, 'x-match-likelihood')
  if (likelihood === undefined) return null
  const agreed = headerOf(answer, 'x-matched-on')?.split(',').join(' and ')
  return (
    <p class="meaning">
      Likelihood {likelihood}
      {agreed ? `: ${agreed} agreed.` : '.'}
    </p>
  )
}

function headerOf({ headers }: LookupAnswer, wanted: string): string | undefined {
  return headers.find(([name]) => name === wanted)?.[1]
}

/** Explains a failure in the contract's words. The body is a bare code or a problem document with a code. */
function Meaning({ answer }: { answer: LookupAnswer }) {
  const words = failureWords[codeIn(answer.body)]
  return words ? <p class="meaning">{words}. Nothing was charged.</p> : null
}

function codeIn(body: string): string {
  return /"code":"(\w+)"/.exec(body)?.[1] ?? body.trim()
}

function Card({ kind, body }: { kind: Kind; body: string }) {
  const record: unknown = JSON.parse(body)
  return kind === 'people' ? <PersonCard person={record as Person} /> : <CompanyCard company={record as Company} />
}

function HeaderTable({ headers }: { headers: [name: string, value: string][] }) {
  const words = new Map(Object.entries(headerWords).map(([name, text]) => [name.toLowerCase(), { name, text }]))
  words.set('retry-after', { name: 'Retry-After', text: 'Seconds to wait; after exactly that long a call succeeds.' })
  const known = headers.flatMap(([name, value]) => {
    const found = words.get(name)
    return found ? [{ ...found, value }] : []
  })
  return (
    <DataTable
      caption="Headers of the answer"
      rows={known}
      keyOf={({ name }) => name}
      columns={[
        { label: 'Header', head: true, cell: ({ name }) => <code>{name}</code> },
        { label: 'Value', cell: ({ value }) => <code>{value}</code> },
        { label: 'Meaning', cell: ({ text }) => text },
      ]}
      empty={null}
    />
  )
}
