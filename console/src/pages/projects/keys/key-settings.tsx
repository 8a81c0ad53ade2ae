import type { Kind, PersonPart } from '@vitae/contract'
import type { Key } from '@vitae/contract/admin'
import { CheckField, TextField } from '../../../elements/field.tsx'
import { inputOf, readInput, zoneName } from '../../../zone.ts'

/** The form values of a key's settings. Numbers and times stay text until they are sent. */
export interface KeySettings {
  label: string
  ceiling: string
  dailyCeiling: string
  rate: string
  networks: string
  expires: string
  endpoints: Kind[]
  parts: PersonPart[]
}

const allKinds: readonly Kind[] = ['people', 'companies']
const allParts: readonly PersonPart[] = ['network', 'verifications', 'contact']

/** The initial form values: the settings of the key, or no limits for a new key. */
export function readSettings(key?: Key): KeySettings {
  return {
    label: key?.label ?? '',
    ceiling: key?.ceiling?.toString() ?? '',
    dailyCeiling: key?.daily_ceiling?.toString() ?? '',
    rate: key?.rate ?? '',
    networks: key?.networks ? key.networks.join(', ') || 'none' : '',
    expires: key?.expires_at ? inputOf(Date.parse(key.expires_at)) : '',
    endpoints: key?.endpoints ?? [...allKinds],
    parts: key?.parts ?? [...allParts],
  }
}

/** The changed settings as a request body. The service keeps every setting that the body omits. */
export function changedSettings(before: KeySettings, after: KeySettings): Record<string, unknown> {
  const old = new Map(Object.entries(settingsBody(before)))
  const isNew = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(old.get(name))
  return Object.fromEntries(Object.entries(settingsBody(after)).filter(isNew))
}

/**
 * The whole form as a request body. An empty field becomes null, which means no limit. The network `none` and a list
 * without ticks allow nothing.
 */
function settingsBody(settings: KeySettings) {
  const text = (value: string) => value.trim() || null
  const number = (value: string) => (value.trim() === '' ? null : Number(value))
  const networks = settings.networks.split(/[\s,]+/).filter(Boolean)
  const word = networks.length === 1 ? networks[0]?.toLowerCase() : null
  return {
    label: text(settings.label),
    ceiling: number(settings.ceiling),
    daily_ceiling: number(settings.dailyCeiling),
    rate: text(settings.rate),
    networks: word === 'none' ? [] : networks.length === 0 || word === 'all' ? null : networks,
    expires_at: settings.expires ? new Date(readInput(settings.expires)).toISOString() : null,
    endpoints: settings.endpoints.length === allKinds.length ? null : settings.endpoints,
    parts: settings.parts.length === allParts.length ? null : settings.parts,
  }
}

/** The form fields for the settings of a key. */
export function KeySettingsFields({ value, onChange }: { value: KeySettings; onChange: (value: KeySettings) => void }) {
  const set = (change: Partial<KeySettings>) => onChange({ ...value, ...change })
  return (
    <>
      <TextField label="Label" value={value.label} onInput={(label) => set({ label })} placeholder="crm sync" />
      <div class="form-row">
        <TextField
          label="Monthly ceiling"
          type="number"
          min={0}
          value={value.ceiling}
          onInput={(ceiling) => set({ ceiling })}
          hint="Credits per UTC month. Empty: none."
        />
        <TextField
          label="Daily ceiling"
          type="number"
          min={0}
          value={value.dailyCeiling}
          onInput={(dailyCeiling) => set({ dailyCeiling })}
          hint="Credits per UTC day. Empty: none."
        />
        <TextField
          label="Rate limit"
          value={value.rate}
          onInput={(rate) => set({ rate })}
          placeholder="300/60s"
          hint="Calls per window. Empty: the default."
        />
      </div>
      <div class="form-row">
        <Choices
          legend="Endpoints"
          all={allKinds}
          chosen={value.endpoints}
          onChange={(endpoints) => set({ endpoints })}
        />
        <Choices legend="Optional parts" all={allParts} chosen={value.parts} onChange={(parts) => set({ parts })} />
      </div>
      <div class="form-row">
        <TextField
          label="Allowed networks"
          value={value.networks}
          onInput={(networks) => set({ networks })}
          placeholder="10.0.0.0/8"
          hint="Addresses or CIDR. Empty: anywhere. none: nowhere."
        />
        <TextField
          label="Expires"
          type="datetime-local"
          value={value.expires}
          onInput={(expires) => set({ expires })}
          hint={`In ${zoneName()}. Empty: never.`}
        />
      </div>
    </>
  )
}

function Choices<T extends string>({
  legend,
  all,
  chosen,
  onChange,
}: {
  legend: string
  all: readonly T[]
  chosen: T[]
  onChange: (chosen: T[]) => void
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {all.map((name) => (
        <CheckField
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={(on) => onChange(all.filter((other) => (other === name ? on : chosen.includes(other))))}
        />
      ))}
    </fieldset>
  )
}
