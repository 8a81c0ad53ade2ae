import { useState } from 'preact/hooks'
import { goTo, hrefTo } from '../../router.ts'
import { SelectField } from '../field.tsx'
import { dayOf } from '../../zone.ts'
import { times, type TimeName, type TimeWindow } from './time-window.ts'

interface Props {
  /** Path of the page; the time window becomes its query. */
  path: string[]
  /** Other query parameters to keep. */
  keep: Record<string, string | null | undefined>
  window: TimeWindow
  /** Offers "Any time" as well. */
  mayBeAny?: boolean
}

/** Chooses a time window by name or by first and last day, and describes it in words. */
export function TimePicker({ path, keep, window, mayBeAny = false }: Props) {
  const [choosing, setChoosing] = useState(false)
  const show = (query: Record<string, string>) => goTo(hrefTo(path, { ...keep, ...query }))
  const options: (readonly [TimeName, string])[] = [
    ...(mayBeAny ? [['any', 'Any time'] as const] : []),
    ...times,
    ['days', 'Choose days'],
  ]
  const choose = (name: TimeName) => {
    setChoosing(name === 'days')
    if (name !== 'days') show(name === 'any' ? {} : { time: name })
  }
  const today = dayOf(Date.now())
  const days = window.days ?? { from: today, to: today }
  const isOpen = choosing || window.name === 'days'
  return (
    <div class="time-picker">
      <SelectField label="Time" value={isOpen ? 'days' : window.name} options={options} onChange={choose} />
      {isOpen ? (
        <>
          <Day
            label="First day"
            value={days.from}
            onPick={(from) => show({ from, to: from > days.to ? from : days.to })}
          />
          <Day label="Last day" value={days.to} onPick={(to) => show({ from: to < days.from ? to : days.from, to })} />
        </>
      ) : null}
      {window.words ? <p class="time-words">{window.words}</p> : null}
    </div>
  )
}

function Day({ label, value, onPick }: { label: string; value: string; onPick: (day: string) => void }) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="input"
        type="date"
        value={value}
        onChange={({ currentTarget }) => (currentTarget.value ? onPick(currentTarget.value) : undefined)}
      />
    </label>
  )
}
