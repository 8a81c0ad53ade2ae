import type { ExperienceGroup, Position } from '@vitae/contract'
import { Badge } from '../../../elements/badge.tsx'
import { rangeText } from './partial-date.ts'
import { joined } from './record-parts.tsx'

/** Employers as a timeline. Every position except the earliest one at an employer is marked as a promotion. */
export function Experience({ groups }: { groups: readonly ExperienceGroup[] }) {
  return (
    <ol class="timeline">
      {groups.map((group, index) => (
        <li key={index} class={group.date_range?.end === null ? 'current' : undefined}>
          <p>
            <strong dir="auto">{group.company_name ?? 'Unknown employer'}</strong>{' '}
            <span class="faint">
              {joined([rangeText(group.date_range), group.company_industry, group.workplace_type], ' · ')}
            </span>
          </p>
          <ol class="positions">
            {group.positions.map((position, place) => (
              <li key={place}>
                <PositionLine position={position} promoted={place < group.positions.length - 1} />
              </li>
            ))}
          </ol>
        </li>
      ))}
    </ol>
  )
}

function PositionLine({ position, promoted }: { position: Position; promoted: boolean }) {
  return (
    <>
      <p>
        <bdi>{position.title ?? 'No title'}</bdi> {promoted ? <Badge tone="good">promotion</Badge> : null}
      </p>
      <p class="faint">
        {joined([rangeText(position.date_range), position.employment_type, position.location_name], ' · ')}
      </p>
      {position.description ? (
        <p class="prose" dir="auto">
          {position.description}
        </p>
      ) : null}
    </>
  )
}
