import { useState } from 'preact/hooks'
import { goTo, hrefTo } from '../../router.ts'
import { Button } from '../button.tsx'
import { SelectField, TextField } from '../field.tsx'
import { EnvironmentField, KeyField, ProjectField } from '../place-fields.tsx'

/** A filter of a list: free text, or one of a few options. */
export interface Filter {
  name: string
  label: string
  placeholder?: string
  options?: readonly (readonly [value: string, text: string])[]
}

/** Filters by one of the existing projects. */
export const projectFilter: Filter = { name: 'project', label: 'Project' }

/** Filters by an environment of the chosen project, or of any. */
export const environmentFilter: Filter = { name: 'environment', label: 'Environment' }

/** Filters by a key of the chosen project and environment. */
export const keyFilter: Filter = { name: 'key_id', label: 'Key' }

export const kindFilter: Filter = {
  name: 'kind',
  label: 'Kind',
  options: [
    ['', 'Both'],
    ['people', 'People'],
    ['companies', 'Companies'],
  ],
}

interface Props {
  /** Accessible name of the form. */
  label: string
  /** Path of the list; the filters become its query. */
  path: string[]
  query: URLSearchParams
  filters: readonly Filter[]
  /** Other query parameters to keep. */
  keep?: Record<string, string>
}

/** With more filters than this, only the first ones and those in use are shown until the user opens the rest. */
const shownAtMost = 4
const shownAlways = 2

/** The filters of a list. They are part of the URL, so links and the back button restore them. */
export function ListFilters({ label, path, query, filters, keep = {} }: Props) {
  const present = wantedOf(query, filters)
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [open, setOpen] = useState(false)
  const apply = (change: Record<string, string>) => {
    setTyped({})
    goTo(hrefTo(path, { ...keep, ...present, ...typed, ...change }))
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    apply({})
  }
  const field = (filter: Filter, place: number) => {
    const { name, label: title, placeholder, options } = filter
    const value = typed[name] ?? present[name] ?? ''
    const type = (text: string) => setTyped({ ...typed, [name]: text })
    const choose = (chosen: string) => apply({ [name]: chosen })
    if (filter === projectFilter)
      return <ProjectField key={name} value={value} none="Any" onChange={choose} onType={type} />
    if (filter === environmentFilter)
      return <EnvironmentField key={name} project={present['project'] ?? ''} value={value} onChange={choose} />
    if (filter === keyFilter) return <KeyField key={name} wanted={present} value={value} onChange={choose} />
    return options ? (
      <SelectField
        key={name}
        label={title}
        value={options.find(([value]) => value === present[name])?.[0] ?? ''}
        options={options}
        onChange={choose}
      />
    ) : (
      <TextField
        key={name}
        label={title}
        type={place === 0 ? 'search' : 'text'}
        placeholder={placeholder ?? 'any'}
        value={value}
        onInput={type}
      />
    )
  }
  const isFolded = filters.length > shownAtMost && !open
  const shown = filters.filter(({ name }, place) => !isFolded || place < shownAlways || present[name])
  return (
    <form class="filters list" role="search" aria-label={label} onSubmit={submit}>
      {shown.map((filter) => field(filter, filters.indexOf(filter)))}
      <div class="actions">
        <Button type="submit" icon="search">
          Find
        </Button>
        {filters.length > shownAtMost ? (
          <Button icon="operations" expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Fewer filters' : 'More filters'}
          </Button>
        ) : null}
      </div>
    </form>
  )
}

/** Reads the filters from a URL query. */
export function wantedOf(query: URLSearchParams, filters: readonly Pick<Filter, 'name'>[]): Record<string, string> {
  return Object.fromEntries(filters.flatMap(({ name }) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))
}
