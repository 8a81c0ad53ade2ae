import { useId, useState } from 'preact/hooks'
import { Button } from '../../elements/button.tsx'
import { CheckField, SelectField, TextField } from '../../elements/field.tsx'
import { Notice } from '../../elements/notice.tsx'
import { knownMembers, knownOf, sampleIds, type LookupRequest } from './lookup-request.ts'

interface Props {
  request: LookupRequest
  onChange: (request: LookupRequest) => void
  apiKey: string
  onKey: (key: string) => void
  busy: boolean
  onSend: () => void
}

const endpoints = [
  ['people', 'GET /v1/people/profile'],
  ['companies', 'GET /v1/companies/details'],
  ['people match', 'POST /v1/people/match'],
  ['companies match', 'POST /v1/companies/match'],
] as const

type Endpoint = (typeof endpoints)[number][0]

const asked: Record<Endpoint, Pick<LookupRequest, 'kind' | 'by'>> = {
  people: { kind: 'people', by: 'id' },
  companies: { kind: 'companies', by: 'id' },
  'people match': { kind: 'people', by: 'match' },
  'companies match': { kind: 'companies', by: 'match' },
}

type Set = (change: Partial<LookupRequest>) => void

/** The form for a lookup or a match. With a live key the user must confirm that the call spends credits. */
export function RequestForm({ request, onChange, apiKey, onKey, busy, onSend }: Props) {
  const [agreed, setAgreed] = useState(false)
  const set: Set = (change) => onChange({ ...request, ...change })
  const live = apiKey.trim().startsWith('vt_live_')
  const matches = request.by === 'match'
  const says = matches ? Object.keys(knownOf(request)).length > 0 : request.id.trim() !== ''
  const ready = apiKey.trim() !== '' && says && (!live || agreed)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (ready) onSend()
  }
  return (
    <form class="panel-body" onSubmit={submit}>
      <SelectField
        label="Endpoint"
        value={matches ? `${request.kind} match` : request.kind}
        options={endpoints}
        onChange={(endpoint) => set(asked[endpoint])}
      />
      <TextField
        label="API key"
        type="password"
        value={apiKey}
        onInput={(key) => {
          onKey(key)
          setAgreed(false)
        }}
        mono
        placeholder="vt_test_…"
        hint="Kept in the memory of this page only, and gone when you leave it."
      />
      {matches ? <Known request={request} set={set} /> : <Identifier request={request} set={set} />}
      <Options request={request} set={set} />
      {live ? (
        <Notice tone="warning">
          <p>
            <strong>This is a live key: a call that succeeds spends credits.</strong>
          </p>
          <CheckField label="Spend credits with this key" checked={agreed} onChange={setAgreed} />
        </Notice>
      ) : null}
      <Button kind="primary" type="submit" icon="playground" busy={busy} disabled={!ready}>
        {live ? 'Send, and spend credits' : 'Send'}
      </Button>
    </form>
  )
}

interface PartProps {
  request: LookupRequest
  set: Set
}

function Identifier({ request, set }: PartProps) {
  const listId = useId()
  return (
    <>
      <TextField
        label={request.kind === 'people' ? 'profile_id' : 'company_id'}
        value={request.id}
        onInput={(id) => set({ id })}
        list={listId}
        mono
        hint="A slug, an id or a URL. With a test key, the sample identifiers simulate each result."
      />
      <datalist id={listId}>
        {sampleIds[request.kind].map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </>
  )
}

/** Fields for the match details, which are sent in the request body, never in a URL. */
function Known({ request, set }: PartProps) {
  const people = request.kind === 'people'
  return (
    <fieldset>
      <legend>What is known</legend>
      <p class="hint">
        {people
          ? 'An e-mail address, a phone number, or a name with a company. With a test key, sample-not-found@, sample-ambiguous@ and sample-mismatch@example.com play what can happen.'
          : 'A name or a domain; the country tells companies of one name apart.'}
      </p>
      {knownMembers[request.kind].map(([name, example]) => (
        <TextField
          key={name}
          label={name}
          value={request.known[name] ?? ''}
          placeholder={example}
          onInput={(text) => set({ known: { ...request.known, [name]: text } })}
        />
      ))}
      <TextField
        label="min_likelihood"
        value={request.minLikelihood}
        onInput={(minLikelihood) => set({ minLikelihood })}
        placeholder="0.8"
        hint="0 to 1. Less likely matches are refused."
      />
    </fieldset>
  )
}

function Options({ request, set }: PartProps) {
  return (
    <>
      {request.kind === 'people' ? (
        <fieldset>
          <legend>Optional parts</legend>
          <CheckField label="include_network_info" checked={request.network} onChange={(network) => set({ network })} />
          <CheckField label="include_contact_info" checked={request.contact} onChange={(contact) => set({ contact })} />
          <CheckField
            label="get_verification_details"
            checked={request.verifications}
            onChange={(verifications) => set({ verifications })}
          />
        </fieldset>
      ) : null}
      <div class="form-row">
        <TextField
          label="max_age_days"
          value={request.maxAgeDays}
          onInput={(maxAgeDays) => set({ maxAgeDays })}
          placeholder="default"
          hint="0 asks for a live fetch."
        />
        <TextField
          label="Idempotency-Key"
          value={request.idempotencyKey}
          onInput={(idempotencyKey) => set({ idempotencyKey })}
          placeholder="none"
          hint="Retries with it are free."
        />
      </div>
      <fieldset>
        <legend>Freshness</legend>
        <CheckField
          label="bypass_cache: fetch now, past every cache"
          checked={request.bypassCache}
          onChange={(bypassCache) => set({ bypassCache })}
        />
        <CheckField
          label="only-if-cached: no call to a provider"
          checked={request.onlyIfCached}
          onChange={(onlyIfCached) => set({ onlyIfCached })}
        />
        <CheckField
          label="stale-if-error=0: fail instead of returning an old copy"
          checked={request.refuseStale}
          onChange={(refuseStale) => set({ refuseStale })}
        />
      </fieldset>
    </>
  )
}
