import type { Company } from '@vitae/contract'
import { formatNumber } from '../../../format.ts'
import { dateText } from './partial-date.ts'
import { CardSection, joined } from './record-parts.tsx'

/** The funding of a company and its last round. */
export function Funding({ funding }: { funding: NonNullable<Company['funding_data']> }) {
  const round = funding.last_funding_round
  const money = round?.money_raised
  const investors = joined((round?.lead_investors ?? []).map(({ name }) => name))
  return (
    <CardSection title="Funding" unit="funding_data" count={round || funding.num_of_funding_rounds ? 1 : 0}>
      <dl class="facts">
        <dt>Rounds</dt>
        <dd>{formatNumber(funding.num_of_funding_rounds)}</dd>
        <dt>Last round</dt>
        <dd>{joined([round?.funding_type, dateText(round?.announced_on ?? null)]) || '–'}</dd>
        <dt>Raised</dt>
        <dd>{money ? `${formatNumber(money.amount)} ${money.currency?.toUpperCase() ?? ''}` : '–'}</dd>
        <dt>Led by</dt>
        <dd>
          {investors || '–'}
          {round?.num_of_other_investors ? ` and ${formatNumber(round.num_of_other_investors)} others` : ''}
        </dd>
      </dl>
    </CardSection>
  )
}
