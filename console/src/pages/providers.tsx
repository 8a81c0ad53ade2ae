import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { AdminAnswer, Provider } from '@vitae/contract/admin'
import { Button } from '../elements/button.tsx'
import { ConfirmDialog } from '../elements/dialogs/confirm-dialog.tsx'
import { DataTable } from '../elements/lists/data-table.tsx'
import { MeterBar } from '../elements/charts/meter-bar.tsx'
import { ErrorNotice, Notice } from '../elements/notice.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Loaded } from '../elements/states.tsx'
import { Term } from '../elements/term.tsx'
import { Time } from '../elements/time/time.tsx'
import { formatMs, formatNumber } from '../format.ts'
import { hrefTo, type Route } from '../router.ts'
import { useCan } from '../session.tsx'
import { useAction } from '../use-action.ts'
import { useQuery } from '../use-query.ts'
import { ProviderTabs, ScorecardView } from './providers/scorecard.tsx'
import { ProviderState } from './providers/provider-state.tsx'

type ProviderCheck = AdminAnswer<'checkProvider'>

/** The state of each provider with its pause button, or the scorecard that compares them. */
export function ProvidersPage({ route }: { route: Route }) {
  return route.rest[0] === 'scorecard' ? <ScorecardView range={route.query.get('range')} /> : <ProviderList />
}

function ProviderList() {
  const query = useQuery('providers', async (signal) => (await api.get('/providers', {}, signal)).providers, {
    pollMs: 5_000,
  })
  return (
    <>
      <PageHead title="Providers">
        Asked in the order of <code>VITAE_UPSTREAM</code> when the store has no copy that is fresh enough.
      </PageHead>
      <ProviderTabs current="state" />
      <Loaded query={query}>
        {(providers) => (
          <>
            <div class="columns">
              {providers
                .filter(({ configured }) => configured)
                .toSorted((left, right) => Number(right.in_chain) - Number(left.in_chain))
                .map((provider) => (
                  <ProviderPanel key={provider.name} of={provider} onChange={query.reload} />
                ))}
            </div>
            <Others providers={providers.filter(({ configured }) => !configured)} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Others({ providers }: { providers: Provider[] }) {
  if (providers.length === 0) return null
  return (
    <Panel title="Not configured">
      <DataTable<Provider>
        caption="Providers that are not configured"
        rows={providers}
        keyOf={({ name }) => name}
        columns={[
          { label: 'Provider', head: true, cell: ({ label }) => label },
          {
            label: 'To use it, name it in VITAE_UPSTREAM and set',
            cell: (provider) => <code>{variablesOf(provider).join(', ')}</code>,
          },
          { label: 'Fields of people', align: 'right', cell: (row) => formatNumber(row.supplies.people.length) },
          { label: 'Fields of companies', align: 'right', cell: (row) => formatNumber(row.supplies.companies.length) },
        ]}
        empty={null}
      />
    </Panel>
  )
}

function variablesOf({ name }: Provider): string[] {
  const prefix = `VITAE_${name.toUpperCase()}`
  return [...(name === 'mirror' ? [`${prefix}_URL`] : []), `${prefix}_KEY`]
}

function ProviderPanel({ of: provider, onChange }: { of: Provider; onChange: () => void }) {
  const mayChange = useCan('pauseProvider')
  const title = (
    <>
      {provider.label} <ProviderState of={provider} />
    </>
  )
  return (
    <Panel title={title} actions={mayChange ? <ProviderActions of={provider} onChange={onChange} /> : null}>
      <ProviderFacts of={provider} />
    </Panel>
  )
}

function ProviderFacts({ of: provider }: { of: Provider }) {
  const { recent, budget, supplies, last_fault: fault } = provider
  return (
    <dl class="facts panel-body">
      <dt>Last hour</dt>
      <dd>
        {formatNumber(recent.calls)} <Term word="attempts">{recent.calls === 1 ? 'attempt' : 'attempts'}</Term>,{' '}
        {formatNumber(recent.failures)} failed, median {formatMs(recent.p50_ms)}
        {recent.failing ? (
          <>
            . <strong class="error-text">{recent.failing}</strong>{' '}
            <a href={hrefTo(['calls'], { source: 'live', time: 'hour' })}>See the calls</a>
          </>
        ) : null}
      </dd>
      <dt>Now</dt>
      <dd>
        {formatNumber(provider.in_flight)} in progress, {formatNumber(provider.queued)} waiting
      </dd>
      <dt>
        <Term word="breaker">Breaker</Term>
      </dt>
      <dd>{provider.breaker ?? 'not in use'}</dd>
      <dt>Budget {budget.month}</dt>
      <dd>
        <MeterBar used={budget.calls} limit={budget.limit} label={`Budget of ${provider.label}`} />{' '}
        <Term word="billable">billable {budget.limit === null && budget.calls === 1 ? 'attempt' : 'attempts'}</Term>
        {budget.limit === null ? ', no limit' : ''}
      </dd>
      <dt>Last answer</dt>
      <dd>
        <Time at={provider.last_answer_at} ago />
      </dd>
      <dt>Last fault</dt>
      <dd>
        {fault ? (
          <>
            <code>{fault.kind}</code>, <Time at={fault.at} ago />
          </>
        ) : (
          'none since the service started'
        )}
      </dd>
      <dt>Supplies</dt>
      <dd>
        {formatNumber(supplies.people.length)} fields of people, {formatNumber(supplies.companies.length)} of companies
      </dd>
    </dl>
  )
}

function ProviderActions({ of: provider, onChange }: { of: Provider; onChange: () => void }) {
  const [asking, setAsking] = useState(false)
  const [check, setCheck] = useState<ProviderCheck | null>(null)
  const action = useAction()
  const { name } = provider
  const [verb, ask] = provider.paused ? (['Resume', 'resume'] as const) : (['Pause', 'pause'] as const)
  return (
    <>
      <Button
        small
        busy={action.busy}
        label={`Check ${provider.label}`}
        onClick={() => void action.run(async () => setCheck(await api.post('/providers/:name/check', { name })))}
      >
        Check
      </Button>
      <Button small label={`${verb} ${provider.label}`} onClick={() => setAsking(true)}>
        {verb}
      </Button>
      {action.error ? <ErrorNotice error={action.error} /> : null}
      {check ? (
        <Notice tone={check.ok ? 'good' : 'danger'}>
          {check.verdict}: {check.detail} ({formatMs(check.duration_ms)})
        </Notice>
      ) : null}
      {asking ? (
        <ConfirmDialog
          title={`${verb} ${provider.label}`}
          verb={verb}
          word={null}
          askReason="optional"
          onConfirm={async (reason) => {
            await api.post(`/providers/:name/${ask}`, { name, ...(reason ? { reason } : {}) })
            onChange()
          }}
          done={{
            text: ask === 'pause' ? `${provider.label} is paused.` : `${provider.label} is asked again.`,
            undo: () => api.post(`/providers/:name/${ask === 'pause' ? 'resume' : 'pause'}`, { name }),
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            {provider.paused
              ? 'It is asked again from now on.'
              : 'It is asked nothing until it is resumed. Stored copies are still served.'}
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}
