import { useState } from 'preact/hooks'
import type { Score } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { CheckField } from '../../elements/field.tsx'
import { Word } from '../../elements/word.tsx'
import { formatNumber } from '../../format.ts'

/** In how many records each field has a value, by provider: the darker, the fuller. */
export function FillMap({ title, scores }: { title: string; scores: Score[] }) {
  const [nested, setNested] = useState(false)
  const [first] = scores
  if (!first) return null
  const fields = Object.keys(first.fill_rate).filter((field) => nested || !field.includes('.'))
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
  return (
    <td class="fill-cell" style={{ '--fill': `${Math.round(rate * 100)}%` }}>
      {Math.round(rate * 100)} %{score.alone.includes(field) ? <Badge tone="accent">alone</Badge> : null}
    </td>
  )
}
