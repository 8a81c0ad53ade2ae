import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Key, NewKey, Project } from '../../api-types.generated.ts'
import { Button } from '../../elements/button.tsx'
import { PageHead } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { useCan, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { CreateKey } from './create-key.tsx'
import { CreateProject } from './create-project.tsx'
import { ProjectPanel } from './project-panel.tsx'
import { ShownKey } from './shown-key.tsx'

/** Every project with its environments and keys. */
export function ProjectList() {
  const mayMakeProject = useCan('createProject')
  const mayMakeKey = useCan('createKey')
  const { project: only } = useSession()
  const [open, setOpen] = useState<'project' | 'key' | null>(null)
  const [made, setMade] = useState<NewKey | null>(null)
  const query = useQuery('projects', loadProjects, { pollMs: 15_000 })
  const actions = (
    <>
      {mayMakeProject && only === null ? <Button onClick={() => setOpen('project')}>New project</Button> : null}
      {mayMakeKey ? (
        <Button kind="primary" icon="plus" onClick={() => setOpen('key')}>
          New key
        </Button>
      ) : null}
    </>
  )
  const done = () => {
    setOpen(null)
    query.reload()
  }
  return (
    <>
      <PageHead title="Projects and keys" actions={actions}>
        Credits belong to an environment of a project. A key spends them up to its ceilings.
      </PageHead>
      <Loaded query={query}>
        {({ projects, keys }) =>
          projects.length === 0 ? (
            <EmptyState title="There is no project yet.">
              {mayMakeKey ? 'Make a key: its project and environment are made with it.' : 'An operator can make one.'}
            </EmptyState>
          ) : (
            projects.map((project) => (
              <ProjectPanel
                key={project.name}
                project={project}
                keys={keys.filter((key) => key.project === project.name)}
                onChange={query.reload}
              />
            ))
          )
        }
      </Loaded>
      {open === 'project' ? <CreateProject onDone={done} onClose={() => setOpen(null)} /> : null}
      {open === 'key' ? (
        <CreateKey
          projects={query.data?.projects ?? []}
          onMade={(key) => {
            setMade(key)
            done()
          }}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {made ? <ShownKey made={made} onClose={() => setMade(null)} /> : null}
    </>
  )
}

async function loadProjects(signal: AbortSignal): Promise<{ projects: Project[]; keys: Key[] }> {
  const [{ projects }, { keys }] = await Promise.all([
    api.get<{ projects: Project[] }>('/projects', {}, signal),
    api.get<{ keys: Key[] }>('/keys', { limit: 1_000 }, signal),
  ])
  return { projects, keys }
}
