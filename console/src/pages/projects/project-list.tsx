import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Key, NewKey, Project } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { ListFilters, wantedOf, type Filter } from '../../elements/lists/list-filters.tsx'
import { PageHead, Panel } from '../../elements/page-head.tsx'
import { Pager, useCursor } from '../../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { hrefTo, useWish } from '../../router.ts'
import { useCan, useSession } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { CreateKey } from './keys/create-key.tsx'
import { CreateProject } from './create-project.tsx'
import { ProjectPanel } from './project-panel.tsx'
import { ShownKey } from './keys/shown-key.tsx'

const projectsAtOnce = 10
const keysShown = 10
const filters: Filter[] = [
  { name: 'text', label: 'Project', placeholder: 'part of the name' },
  {
    name: 'state',
    label: 'State',
    options: [
      ['', 'Any'],
      ['active', 'Active'],
      ['suspended', 'Suspended'],
      ['billing_blocked', 'Billing blocked'],
    ],
  },
  {
    name: 'order',
    label: 'Order',
    options: [
      ['', 'By name'],
      ['newest', 'Newest first'],
      ['oldest', 'Oldest first'],
    ],
  },
]

/** A project and its newest keys. */
interface Shown {
  project: Project
  keys: Key[]
  moreKeys: boolean
}

/** Projects with their environments and keys, page by page. */
export function ProjectList({ query: address }: { query: URLSearchParams }) {
  const mayMakeProject = useCan('createProject')
  const mayMakeKey = useCan('createKey')
  const { project: only } = useSession()
  const [open, setOpen] = useState<'project' | 'key' | null>(null)
  useWish({ key: () => setOpen('key'), project: () => setOpen('project') })
  const [made, setMade] = useState<NewKey | null>(null)
  const wanted = wantedOf(address, filters)
  const [cursor, setCursor] = useCursor(['projects'], address)
  const query = useQuery(
    `projects ${JSON.stringify(wanted)} ${cursor}`,
    (signal) => loadProjects({ ...wanted, cursor }, signal),
    { pollMs: 15_000 },
  )
  const done = () => {
    setOpen(null)
    query.reload()
  }
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
  return (
    <>
      <PageHead title="Projects and keys" actions={actions}>
        Credits belong to an environment of a project. A key spends them up to its ceilings.{' '}
        <a href={hrefTo(['projects', 'keys'])}>All keys</a>
      </PageHead>
      {only === null ? (
        <Panel>
          <ListFilters label="Find projects" path={['projects']} query={address} filters={filters} />
        </Panel>
      ) : null}
      <Loaded query={query}>
        {({ shown, next }) => (
          <>
            {shown.length === 0 ? <NoProject searched={Object.keys(wanted).length > 0} /> : null}
            {shown.map((one) => (
              <ProjectPanel key={one.project.name} {...one} onChange={query.reload} />
            ))}
            <Pager
              next={next}
              cursor={cursor}
              onPage={setCursor}
              all={{ list: 'listProjects', shown: shown.length, ask: wanted }}
            />
          </>
        )}
      </Loaded>
      {open === 'project' ? <CreateProject onDone={done} onClose={() => setOpen(null)} /> : null}
      {open === 'key' ? (
        <CreateKey
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

function NoProject({ searched }: { searched: boolean }) {
  if (searched) return <EmptyState title="No project matches." />
  return <EmptyState title="There is no project yet.">An operator can create one, and then its keys.</EmptyState>
}

async function loadProjects(
  wanted: Record<string, string | null>,
  signal: AbortSignal,
): Promise<{ shown: Shown[]; next: string | null }> {
  const page = await api.get('/projects', { ...wanted, limit: projectsAtOnce }, signal)
  const shown = page.projects.map(async (project) => {
    const query = { project: project.name, state: 'active', order: 'newest', limit: keysShown }
    const { keys, next_cursor } = await api.get('/keys', query, signal)
    return { project, keys, moreKeys: next_cursor !== null }
  })
  return { shown: await Promise.all(shown), next: page.next_cursor }
}
