import { api } from '../../api.ts'
import type { Key, Project } from '../../api-types.generated.ts'
import { SelectField } from '../../elements/field.tsx'
import { Loaded } from '../../elements/states.tsx'
import { useQuery } from '../../use-query.ts'

interface Props {
  project: string
  keyId: string
  onChoose: (project: string, keyId: string) => void
}

const nobody = ['', 'choose…'] as const

/** The key that pays: a project first, then one of its keys. */
export function KeyChoice({ project, keyId, onChoose }: Props) {
  const projects = useQuery('projects to choose', (signal) =>
    api.get<{ projects: Project[] }>('/projects', { limit: 1_000 }, signal),
  )
  const keys = useQuery(`keys to choose ${project}`, async (signal) => {
    if (project === '') return []
    const wanted = { project, state: 'active', order: 'last_used', limit: 1_000 }
    return (await api.get<{ keys: Key[] }>('/keys', wanted, signal)).keys
  })
  return (
    <Loaded query={projects}>
      {(data) => (
        <div class="form-row">
          <SelectField
            label="Project"
            value={project}
            options={[nobody, ...data.projects.map(({ name }) => [name, name] as const)]}
            onChange={(name) => onChoose(name, '')}
          />
          <SelectField
            label="Key that pays"
            value={keyId}
            options={[nobody, ...(keys.data ?? []).map((key) => [key.id, titleOf(key)] as const)]}
            onChange={(id) => onChoose(project, id)}
            hint="Its rights, prices, ceilings and credits count."
          />
        </div>
      )}
    </Loaded>
  )
}

function titleOf({ label, display, environment, mode }: Key): string {
  return `${label || display} (${environment}, ${mode})`
}
