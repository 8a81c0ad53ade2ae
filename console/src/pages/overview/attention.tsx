import { useState } from 'preact/hooks'
import type { Overview } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { Icon } from '../../elements/icon.tsx'
import { formatNumber } from '../../format.ts'
import { AttentionAction, placeOf, type Item } from './attention-action.tsx'

/** The most lines shown at first, here and on a phone. With the heading they take at most a third of the first screen. */
const [linesAtFirst, linesOnPhone] = [5, 2]
const countedAtMost = 1_000

type Total = Overview['attention_totals'][number]
interface Group extends Total {
  items: Item[]
}

/** The items that need attention: one line per group and, on demand, every item with its advice. */
export function Attention({ overview, onDone }: { overview: Overview; onDone: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const groups = overview.attention_totals.map((total) => ({ ...total, items: itemsOf(overview, total) }))
  if (groups.length === 0)
    return (
      <p class="all-well">
        <Icon name="check" /> Nothing needs attention.
      </p>
    )
  const shown = matchMedia('(max-width: 640px)').matches ? linesOnPhone : linesAtFirst
  const more = groups.length - shown
  return (
    <section class="panel attention" aria-labelledby="attention">
      <header class="panel-head">
        <h2 id="attention">Needs attention</h2>
        {more > 0 || isOpen ? (
          <Button small kind="quiet" expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show less' : `Show ${more} more`}
          </Button>
        ) : null}
      </header>
      <ul>
        {(isOpen ? groups : groups.slice(0, shown)).map((group) => (
          <Lines key={titleOf(group)} group={group} isOpen={isOpen} onList={() => setOpen(true)} onDone={onDone} />
        ))}
      </ul>
    </section>
  )
}

function itemsOf({ attention }: Overview, { level, kind, state }: Total): Item[] {
  return attention.filter((item) => item.level === level && item.kind === kind && item.state === state)
}

interface LinesProps {
  group: Group
  isOpen: boolean
  onList: () => void
  onDone: () => void
}

function Lines({ group, isOpen, onList, onDone }: LinesProps) {
  const { items, total, level } = group
  if (total > 1 && !isOpen)
    return (
      <li class={level}>
        <Icon name="alert" />
        <div class="what">
          <strong>{titleOf(group)}</strong>
        </div>
        <Button small label={`List: ${titleOf(group)}`} onClick={onList}>
          List
        </Button>
      </li>
    )
  return (
    <>
      {items.map((item) => (
        <li key={`${item.kind} ${item.key_id ?? item.id ?? item.name} ${item.detail}`} class={level}>
          <Icon name="alert" />
          <What item={item} hasAdvice={isOpen} />
          <AttentionAction item={item} onDone={onDone} />
        </li>
      ))}
      {total > items.length ? (
        <li class="faint">
          The first {items.length} of {totalOf(group)} are listed.
        </li>
      ) : null}
    </>
  )
}

function What({ item, hasAdvice }: { item: Item; hasAdvice: boolean }) {
  return (
    <div class="what" title={item.advice}>
      <a href={placeOf(item)}>
        <bdi>{item.name}</bdi>
      </a>
      <span>{item.detail}</span>
      {hasAdvice ? <span class="faint">{item.advice}</span> : null}
    </div>
  )
}

const words: Record<Total['kind'], string | Partial<Record<string, string>>> = {
  provider: { danger: 'providers fail', warning: 'providers need attention' },
  environment: { danger: 'environments have no credits left', warning: 'environments soon have no credits left' },
  budget: { danger: 'budgets of this month are spent', warning: 'budgets of this month are nearly spent' },
  key: { danger: 'keys are at their ceiling', warning: 'keys are near their ceiling' },
  webhook: {
    paused: 'webhooks are paused',
    failing: 'webhooks fail',
    parked: 'webhooks have events that were given up',
  },
  batch: { failed: 'batches have failed', paused: 'batches are paused' },
  failures: 'environments have failing calls',
  finding: 'findings of the doctor',
  backup: 'backups are late',
  disk: 'disks are nearly full',
  clock: 'clocks are wrong',
  work: 'stores wait to be resumed',
}

function titleOf(group: Total): string {
  const known = words[group.kind]
  const text = typeof known === 'string' ? known : (known[group.state ?? ''] ?? known[group.level] ?? group.kind)
  return `${totalOf(group)} ${text}`
}

function totalOf({ total }: Total): string {
  return total >= countedAtMost ? `${formatNumber(total)} or more` : formatNumber(total)
}
