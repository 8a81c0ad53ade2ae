import { api } from '../../api.ts'
import { hrefTo } from '../../router.ts'
import { useQuery } from '../../use-query.ts'
import type { Place } from './groups.ts'

/** Breadcrumbs from all projects to the current scope. */
export function Trail({ place, time }: { place: Place; time: Record<string, string> }) {
  const { project, environment, key_id, tag } = place
  const steps: { text: string | null; place: Place }[] = [{ text: 'All projects', place: {} }]
  if (project) steps.push({ text: project, place: { project } })
  if (project && environment) steps.push({ text: environment, place: { project, environment } })
  const { tag: _tag, ...withoutTag } = place
  if (key_id) steps.push({ text: null, place: withoutTag })
  if (tag) steps.push({ text: tag === '(none)' ? 'without a tag' : tag, place })
  return (
    <nav class="trail" aria-label="Where you are">
      <ol>
        {steps.map((step, index) => {
          const isHere = index === steps.length - 1
          const text = step.text === null ? <KeyName id={key_id ?? ''} /> : <bdi>{step.text}</bdi>
          return (
            <li key={index}>
              {isHere ? (
                <span aria-current="page">{text}</span>
              ) : (
                <a href={hrefTo(['spend'], { ...step.place, ...time })}>{text}</a>
              )}
            </li>
          )
        })}
      </ol>
      {key_id ? <a href={hrefTo(['projects', 'key', key_id])}>Page of this key</a> : null}
    </nav>
  )
}

function KeyName({ id }: { id: string }) {
  const { data } = useQuery(`key ${id}`, (signal) => api.get('/keys/:id', { id }, signal))
  return <bdi title={id}>{data ? (data.label ?? data.display) : id}</bdi>
}
