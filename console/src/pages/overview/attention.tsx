import { useState } from 'preact/hooks'
import { withoutCommands } from '../../api.ts'
import type { Overview } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { Icon } from '../../elements/icon.tsx'
import { AttentionAction, placeOf, type Item } from './attention-action.tsx'

const shownAtFirst = 6

/** What needs a person, before anything else: what it is, what to do, and the button that does it. */
export function Attention({ items, onDone }: { items: Overview['attention']; onDone: () => void }) {
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
          <li key={`${item.kind} ${item.key_id ?? item.id ?? item.name}`} class={item.level}>
            <Icon name="alert" />
            <What item={item} />
            <AttentionAction item={item} onDone={onDone} />
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

function What({ item }: { item: Item }) {
  return (
    <div class="what">
      <a href={placeOf(item)}>
        <bdi>{item.name}</bdi>
      </a>
      <span>{withoutCommands(item.detail)}</span>
      <span class="faint">{withoutCommands(item.advice)}</span>
    </div>
  )
}
