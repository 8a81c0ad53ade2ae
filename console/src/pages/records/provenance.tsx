import type { RecordView } from './record-view.ts'
import { Badge } from '../../elements/badge.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { Term } from '../../elements/term.tsx'
import { Time } from '../../elements/time/time.tsx'
import { formatNumber, formatSpan } from '../../format.ts'
import { Chips } from './cards/record-parts.tsx'

/** Objects whose values have origins of their own. */
const nested = new Set(['contact_info', 'staff_info'])

/** The values of a record that are not empty, by path. */
function unitsIn(record: object): string[] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return []
    return nested.has(name) && typeof value === 'object' ? unitsIn(value).map((unit) => `${name}.${unit}`) : [name]
  })
}

/** The fetches that a record consists of, with their values: the main one first, then those that filled gaps. */
function fetchesIn({ record, provider, fetched_at: at, filled }: RecordView) {
  const others = new Set(filled.map(({ unit }) => unit))
  const main = { provider: provider ?? 'unknown', at, units: unitsIn(record ?? {}).filter((unit) => !others.has(unit)) }
  const fetches = new Map<string, typeof main>()
  for (const { unit, provider: own, fetched_at } of filled) {
    const fetch = fetches.get(`${own} ${fetched_at}`) ?? { provider: own, at: fetched_at, units: [] }
    fetch.units.push(unit)
    fetches.set(`${own} ${fetched_at}`, fetch)
  }
  return [main, ...fetches.values()]
}

/** The provider, age and aliases of a record. */
export function Provenance({ view }: { view: RecordView }) {
  const missing = (path: string) => view.supplied[path] === 'not_supplied'
  // List only the outermost missing part, not the fields inside it.
  const empty = Object.keys(view.supplied).filter((path) => missing(path) && !missing(path.replace(/\.?[^.]*$/, '')))
  // The page head already shows the key.
  const others = view.aliases.filter(({ value }) => value !== view.key)
  return (
    <div class="stack">
      <Panel title="Provenance">
        <dl class="facts panel-body">
          <dt>Provider</dt>
          <dd>{view.provider ?? '–'}</dd>
          <dt>Age</dt>
          <dd>
            {view.age_seconds === null ? '–' : formatSpan(view.age_seconds)}{' '}
            {view.thin ? (
              <Badge tone="warning">
                <Term word="thin">thin</Term>
              </Badge>
            ) : null}
          </dd>
          {view.suspect_names && view.suspect_names.length > 0 ? (
            <>
              <dt>Suspect</dt>
              <dd>
                <Badge tone="warning">two subjects?</Badge> Its versions name {view.suspect_names.join(' and ')}. Split
                it with <code>vitae records split</code> before you erase it.
              </dd>
            </>
          ) : null}
          <dt>Fetched</dt>
          <dd>
            <Time at={view.fetched_at} />
          </dd>
          <dt>Seen at source</dt>
          <dd>{view.source_updated_at ? <Time at={view.source_updated_at} /> : 'the provider does not say'}</dd>
          <dt>Versions</dt>
          <dd>{formatNumber(view.versions)} kept</dd>
          <dt>
            <Term word="projection">Projection</Term>
          </dt>
          <dd>{formatNumber(view.projection)}</dd>
        </dl>
      </Panel>
      {others.length > 0 ? (
        <Panel title="Known as">
          <dl class="facts panel-body">
            {others.map(({ type, value, withdrawn }) => (
              <>
                <dt key={`${type} ${value} type`}>{type.replaceAll('_', ' ')}</dt>
                <dd key={`${type} ${value}`}>
                  <code>{value}</code> {withdrawn ? <Badge tone="warning">withdrawn</Badge> : null}
                </dd>
              </>
            ))}
          </dl>
        </Panel>
      ) : null}
      {view.record ? (
        <Panel title="Values by provider">
          {fetchesIn(view).map(({ provider, at, units }) => (
            <section key={`${provider} ${at}`} class="panel-body" aria-label={`Values of ${provider}`}>
              <h3>
                {provider} <small class="faint">{at ? <Time at={at} ago /> : null}</small>
              </h3>
              <Chips words={units.map((unit) => unit.replaceAll('_', ' ').replace('.', ': '))} />
            </section>
          ))}
        </Panel>
      ) : null}
      {empty.length > 0 ? (
        <Panel title="Not supplied by this provider">
          <div class="panel-body">
            <Chips words={empty} />
          </div>
        </Panel>
      ) : null}
    </div>
  )
}
