import type { ComponentChildren } from 'preact'
import { api } from '../api.ts'
import type { Project } from '@vitae/contract/admin'
import { useSession } from '../session.tsx'
import { useQuery } from '../use-query.ts'
import { SelectField, TextField } from './field.tsx'

/** With more projects than this, the name is typed instead of chosen from a list. */
const shownAtMost = 1_000

/** All projects; null while they load or if there are too many to list. */
export function useProjects(): Project[] | null {
  return useProjectList().projects
}

function useProjectList(): { projects: Project[] | null; loading: boolean } {
  const query = useQuery('projects to choose from', (signal) => api.get('/projects', { limit: shownAtMost }, signal))
  const projects = query.data && query.data.next_cursor === null ? query.data.projects : null
  return { projects, loading: query.loading }
}

interface ProjectProps {
  label?: string
  value: string
  onChange: (project: string) => void
  /** Text of the empty choice; omitted if a project is required. */
  none?: string
  /** Called on each keystroke if the name is typed; defaults to onChange. */
  onType?: (text: string) => void
}

/** A field to choose a project. A user limited to one project sees only that one. */
export function ProjectField({ label = 'Project', value, onChange, none, onType = onChange }: ProjectProps) {
  const { project: only } = useSession()
  const { projects, loading } = useProjectList()
  const first = none ?? 'Choose a project'
  if (projects === null && !loading && only === null)
    return <TextField label={label} value={value} onInput={onType} required={none === undefined} />
  // The current value stays in the list while projects load and after its project was deleted.
  const known = only === null ? (projects ?? []).map(({ name }) => name) : [only]
  const names = value === '' || known.includes(value) ? known : [value, ...known]
  const options = [...(only === null ? [['', first] as const] : []), ...names.map((name) => [name, name] as const)]
  return <SelectField label={label} value={value} options={options} onChange={onChange} />
}

const keysShown = 200

/** Chooses an environment: of one project, or any name that a project uses. */
export function EnvironmentField({ project, value, onChange }: Choice & { project: string }) {
  const places = (useProjects() ?? []).filter(({ name }) => project === '' || name === project)
  const names = new Set([value, ...places.flatMap(({ environments }) => environments.map(({ name }) => name))])
  names.delete('')
  const options = [...names].toSorted().map((name) => [name, name] as const)
  return <SelectField label="Environment" value={value} options={[['', 'Any'], ...options]} onChange={onChange} />
}

/** Chooses a key by its label: the last used ones of a project and environment. */
export function KeyField({ wanted, value, onChange }: Choice & { wanted: Record<string, string> }) {
  const { project, environment } = wanted
  const query = useQuery(`keys to filter by ${project} ${environment}`, (signal) =>
    api.get('/keys', { project, environment, order: 'last_used', limit: keysShown }, signal),
  )
  const found = (query.data?.keys ?? []).map(({ id, label, display }) => [id, label || display] as const)
  const isKnown = value === '' || found.some(([id]) => id === value)
  const options = [['', 'Any'] as const, ...(isKnown ? [] : [[value, value] as const]), ...found]
  return <SelectField label="Key" value={value} options={options} onChange={onChange} />
}

interface Choice {
  value: string
  onChange: (chosen: string) => void
}

interface PlaceProps {
  project: string
  environment: string
  onChange: (place: { project: string; environment: string }) => void
  /** Text of the empty choice; omitted if an environment is required. */
  everywhere?: string
  /** More fields for the same row. */
  children?: ComponentChildren
}

/** Fields to choose a project and one of its environments. */
export function PlaceFields({ project, environment, onChange, everywhere, children }: PlaceProps) {
  const projects = useProjects()
  const names = projects?.find(({ name }) => name === project)?.environments.map(({ name }) => name)
  const choose = (chosen: string) => {
    const own = projects?.find(({ name }) => name === chosen)?.environments ?? []
    onChange({ project: chosen, environment: everywhere === undefined ? (own[0]?.name ?? '') : '' })
  }
  const first = everywhere ?? 'Choose an environment'
  return (
    <div class="form-row">
      <ProjectField value={project} onChange={choose} />
      {names === undefined ? (
        <TextField
          label="Environment"
          value={environment}
          onInput={(next) => onChange({ project, environment: next })}
          required={everywhere === undefined}
        />
      ) : (
        <SelectField
          label="Environment"
          value={environment}
          options={[['', first] as const, ...names.map((name) => [name, name] as const)]}
          onChange={(next) => onChange({ project, environment: next })}
        />
      )}
      {children}
    </div>
  )
}
