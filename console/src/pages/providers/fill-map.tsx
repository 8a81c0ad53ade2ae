import { useState } from 'preact/hooks'
import type { Score } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { CheckField } from '../../elements/field.tsx'
import { Word } from '../../elements/word.tsx'
import { formatNumber, formatShare } from '../../format.ts'

/** A heat map of the share of records in which each field has a value, by provider. */
export function FillMap({ title, scores }: { title: string; scores: Score[] }) {
  const [nested, setNested] = useState(false)
  const [first] = scores
  if (!first) return null
  const isDrifted = (field: string) => scores.some(({ drifted }) => drifted.some(({ unit }) => unit === field))
  const fields = Object.keys(first.fill_rate).filter((field) => nested || !field.includes('.') || isDrifted(field))
  const label = `${title}: fill rate of each field`
  return (
    <>
      <h3 class="panel-rule fill-head">
        <span>Filled fields, of the newest records</span>
        <CheckField label="Inner fields" checked={nested} onChange={setNested} />
      </h3>
      <div class="fill-scroll" tabIndex={0} role="region" aria-label={label}>
        <table class="fill-map">
          <caption class="sr-only">{label}</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              {scores.map((score) => (
                <th key={score.provider} scope="col">
                  {score.label}
                  <span class="faint"> {formatNumber(score.records_read)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field}>
                <th scope="row">
                  <Word text={field} />
                </th>
                {scores.map((score) => (
                  <Rate key={score.provider} score={score} field={field} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function Rate({ score, field }: { score: Score; field: string }) {
  const rate = score.fill_rate[field] ?? 0
  const drift = score.drifted.find(({ unit }) => unit === field)
  return (
    <td class="fill-cell" style={{ '--fill': `${Math.round(rate * 100)}%` }}>
      {Math.round(rate * 100)} %{score.alone.includes(field) ? <Badge tone="accent">alone</Badge> : null}
      {drift ? (
        <Badge tone="warning">{`now ${formatShare(drift.now)}, usually ${formatShare(drift.usual)}`}</Badge>
      ) : null}
      <DayRates days={score.days} field={field} />
    </td>
  )
}

/** The daily fill rates of a field as a line. Only units have daily rates; other fields show no line. */
function DayRates({ days, field }: { days: Score['days']; field: string }) {
  const rates = days.map((day) => day.rates[field] ?? 0)
  if (rates.length < 2 || rates.every((rate) => rate === 0)) return null
  const points = rates.map((rate, at) => `${(at / (rates.length - 1)) * 60},${13 - rate * 12}`)
  const label = `From ${formatShare(rates[0] ?? 0)} to ${formatShare(rates.at(-1) ?? 0)} in ${days.length} days with answers`
  return (
    <svg class="fill-days" viewBox="0 0 60 14" role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
    </svg>
  )
}
