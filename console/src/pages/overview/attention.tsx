import { useState } from 'preact/hooks'
import type { Overview } from '../../api-types.generated.ts'
import { Button } from '../../elements/button.tsx'
import { Icon } from '../../elements/icon.tsx'
import { hrefTo } from '../../router.ts'

type Item = Overview['attention'][number]
const shownAtFirst = 6

/** What needs a person, before anything else. */
export function Attention({ items }: { items: Item[] }) {
  const [all, setAll] = useState(false)
  if (items.length === 0)
    return (
      <p class="all-well">
        <Icon name="check" /> Nothing needs attention.
      </p>
    )
  return (
    <section class="panel attention" aria-labelledby="attention">
      <header class="panel-head">
        <h2 id="attention">Needs attention</h2>
      </header>
      <ul>
        {(all ? items : items.slice(0, shownAtFirst)).map((item) => (
          <li key={`${item.kind} ${item.key_id ?? item.name}`} class={item.level}>
            <Icon name="alert" />
            <div>
              <a href={hrefOf(item)}>
                <bdi>{item.name}</bdi>
              </a>
              <span>{item.detail}</span>
            </div>
          </li>
        ))}
      </ul>
      {items.length > shownAtFirst ? (
        <div class="pager">
          <Button small kind="quiet" onClick={() => setAll(!all)}>
            {all ? 'Show less' : `Show all ${items.length}`}
          </Button>
        </div>
      ) : null}
    </section>
  )
}

/** Where something can be done about it. */
function hrefOf({ kind, project = '', environment = '', key_id: key = '' }: Item): string {
  if (kind === 'provider') return hrefTo(['providers'])
  if (kind === 'backup' || kind === 'work') return hrefTo(['operations', 'backups'])
  if (kind === 'disk') return hrefTo(['operations', 'doctor'])
  return hrefTo(kind === 'key' ? ['projects', 'key', key] : ['projects', 'in', project, environment])
}
