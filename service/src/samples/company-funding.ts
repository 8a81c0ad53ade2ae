import type { Company, FundingRound, Investor } from '@vitae/contract'
import { mediaUrl, slugOf } from './vocabulary/addresses.ts'
import type { Chance } from './vocabulary/chance.ts'
import type { CompanyCore } from './company-core.ts'

/** Amounts in hundreds of thousands of dollars. */
const stages = [
  { type: 'Seed', rounds: 1, least: 4, most: 30 },
  { type: 'Series A', rounds: 2, least: 50, most: 200 },
  { type: 'Series B', rounds: 4, least: 220, most: 800 },
]
/** About what a dollar costs, so that a round in yen is as large as one in dollars; others cost about one. */
const perDollar: Record<string, number> = { jpy: 150, krw: 1400, inr: 85, ngn: 1500, egp: 50, uah: 40, cny: 7, brl: 5 }

const investors = ['Lantern Row Ventures', 'Slow Harbour Capital', 'Ninefold Partners', 'Orchard Gate Fund']

/** Funding as the platform shows it: how many rounds, and the last of them. */
export function companyFunding(chance: Chance, core: CompanyCore): NonNullable<Company['funding_data']> {
  const stage = chance.pick(stages)
  return {
    num_of_funding_rounds: stage.rounds,
    last_funding_round: round(chance, core, stage.type, chance.whole(stage.least, stage.most) * 100_000),
  }
}

/** Funding of an amount that does not fit into 32 bits. */
export function largeFunding(chance: Chance, core: CompanyCore): NonNullable<Company['funding_data']> {
  return { num_of_funding_rounds: 9, last_funding_round: round(chance, core, 'Series H', 6_500_000_000) }
}

function round(chance: Chance, core: CompanyCore, type: string, amount: number): FundingRound {
  return {
    funding_type: type,
    money_raised: { amount: amount * (perDollar[core.place.currency] ?? 1), currency: core.place.currency },
    announced_on: { year: chance.whole(2019, 2024), month: chance.whole(1, 12), day: chance.whole(1, 28) },
    lead_investors: chance.several(investors, chance.whole(1, 2)).map(investor),
    num_of_other_investors: chance.whole(0, 6),
    round_url: `https://funding.example.com/rounds/${core.id}-${slugOf(type)}`,
  }
}

function investor(name: string): Investor {
  const slug = slugOf(name)
  return { name, logo: mediaUrl('investors', `${slug}.png`), investor_url: `https://${slug}.example` }
}
