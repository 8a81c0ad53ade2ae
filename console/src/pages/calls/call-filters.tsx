import { useEffect, useState } from 'preact/hooks'
import { SelectField, TextField } from '../../elements/field.tsx'
import { goTo, hrefTo } from '../../router.ts'

const names = ['project', 'environment', 'key_id', 'kind', 'status', 'code', 'source', 'tag', 'since', 'until'] as const
type Name = (typeof names)[number]
export type Filters = Partial<Record<Name, string>>

const sources = [
  ['', 'Any'],
  ['live', 'Live'],
  ['store', 'Store'],
  ['stale_fallback', 'Stale'],
] as const
const kinds = [
  ['', 'Any'],
  ['people', 'People'],
  ['companies', 'Companies'],
] as const

/** The filters that the address names: so a filtered list can be linked to. */
export function readFilters(query: URLSearchParams): Filters {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name)
      return value ? [[name, value]] : []
    }),
  )
}

/** The fields of the filters; what is typed counts when typing pauses. */
export function CallFilters({ value }: { value: Filters }) {
  const set = (change: Filters) => goTo(hrefTo(['calls'], { ...value, ...change }), { replace: true })
  const text = (name: Name, label: string, placeholder: string) => (
    <LateText
      label={label}
      placeholder={placeholder}
      value={value[name] ?? ''}
      onChange={(entered) => set({ [name]: entered })}
    />
  )
  return (
    <div class="filters" role="search" aria-label="Filter calls">
      {text('project', 'Project', 'any')}
      {text('environment', 'Environment', 'any')}
      {text('key_id', 'Key id', 'any')}
      <SelectField
        label="Kind"
        value={optionOf(kinds, value.kind)}
        options={kinds}
        onChange={(kind) => set({ kind })}
      />
      <SelectField
        label="Source"
        value={optionOf(sources, value.source)}
        options={sources}
        onChange={(source) => set({ source })}
      />
      {text('status', 'Status', '402')}
      {text('code', 'Code', 'not_found')}
      {text('tag', 'Spend tag', 'any')}
      {text('since', 'Since', '24h or a date')}
      {text('until', 'Until', 'now')}
    </div>
  )
}

function optionOf<T extends string>(options: readonly (readonly [T, string])[], value: string | undefined): T | '' {
  return options.find(([option]) => option === value)?.[0] ?? ''
}

function LateText({
  label,
  value,
  placeholder,
  onChange,
}: {
  label: string
  value: string
  placeholder: string
  onChange: (value: string) => void
}) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => onChange(text.trim()), 400)
    return () => clearTimeout(timer)
  }, [text])
  return <TextField label={label} placeholder={placeholder} value={text} onInput={setText} />
}
