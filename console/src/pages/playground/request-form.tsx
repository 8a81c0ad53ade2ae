import { useId, useState } from 'preact/hooks'
import { Button } from '../../elements/button.tsx'
import { CheckField, SelectField, TextField } from '../../elements/field.tsx'
import { Notice } from '../../elements/notice.tsx'
import { sampleIds, type LookupRequest } from './lookup-request.ts'

interface Props {
  request: LookupRequest
  onChange: (request: LookupRequest) => void
  apiKey: string
  onKey: (key: string) => void
  busy: boolean
  onSend: () => void
}

const kinds = [
  ['people', 'GET /v1/people/profile'],
  ['companies', 'GET /v1/companies/details'],
] as const

/** The parameters of a lookup. A live key has to be confirmed before it may spend. */
export function RequestForm({ request, onChange, apiKey, onKey, busy, onSend }: Props) {
  const [agreed, setAgreed] = useState(false)
  const listId = useId()
  const set = (change: Partial<LookupRequest>) => onChange({ ...request, ...change })
  const live = apiKey.trim().startsWith('vt_live_')
  const ready = apiKey.trim() !== '' && request.id.trim() !== '' && (!live || agreed)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (ready) onSend()
  }
  return (
    <form class="panel-body" onSubmit={submit}>
      <SelectField label="Endpoint" value={request.kind} options={kinds} onChange={(kind) => set({ kind })} />
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
      <TextField
        label={request.kind === 'people' ? 'profile_id' : 'company_id'}
        value={request.id}
        onInput={(id) => set({ id })}
        list={listId}
        mono
        hint="A slug, an id or a URL. With a test key, the sample identifiers play what can happen."
      />
      <datalist id={listId}>
        {sampleIds[request.kind].map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
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

function Options({ request, set }: { request: LookupRequest; set: (change: Partial<LookupRequest>) => void }) {
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
          label="stale-if-error=0: rather fail than get an old copy"
          checked={request.refuseStale}
          onChange={(refuseStale) => set({ refuseStale })}
        />
      </fieldset>
    </>
  )
}
