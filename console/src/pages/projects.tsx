import type { Route } from '../router.ts'
import { EnvironmentView } from './projects/environment-view.tsx'
import { KeyDetails } from './projects/keys/key-details.tsx'
import { KeyList } from './projects/keys/key-list.tsx'
import { ProjectList } from './projects/project-list.tsx'

/** The list of projects or keys, one environment with its credits, or one key. */
export function ProjectsPage({ route }: { route: Route }) {
  const [what, first, second] = route.rest
  if (what === 'key' && first) return <KeyDetails key={first} id={first} />
  if (what === 'in' && first && second)
    return <EnvironmentView project={first} environment={second} query={route.query} />
  if (what === 'keys') return <KeyList query={route.query} />
  return <ProjectList query={route.query} />
}
