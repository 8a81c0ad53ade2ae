import type { Company, FundingRound, Investor } from '@vitae/contract'
import { imageUrl } from '../mapping/platform-url.ts'
import { parseMoney } from '../mapping/money.ts'
import { parsePartialDate } from '../mapping/partial-date.ts'
import { integer, list, object, text } from '../mapping/text.ts'

/** The funding of a company, in either of the two spellings HarvestAPI has used. */
export function funding(value: unknown): Company['funding_data'] {
  const raw = object(value)
  const rounds = integer(raw.numFundingRounds) ?? integer(raw.numberOfFundingRounds)
  const last = lastRound(object(raw.lastFundingRound))
  return rounds === null && last === null ? null : { num_of_funding_rounds: rounds, last_funding_round: last }
}

function lastRound(raw: Record<string, unknown>): FundingRound | null {
  const money = object(raw.moneyRaised)
  const round = {
    funding_type: text(raw.fundingType) ?? text(raw.localizedFundingType),
    money_raised: parseMoney(money.amount, money.currencyCode),
    announced_on: parsePartialDate(raw.announcedOn),
    round_url: text(raw.fundingRoundCrunchbaseUrl) ?? text(raw.fundingRoundUrl),
  }
  if (Object.values(round).every((part) => part === null)) return null
  const { round_url, ...facts } = round
  return {
    ...facts,
    lead_investors: list(raw.leadInvestors).flatMap(investor),
    num_of_other_investors: integer(raw.numOtherInvestors) ?? integer(raw.numberOfOtherInvestors),
    round_url,
  }
}

function investor(value: unknown): Investor[] {
  const raw = object(value)
  const name = text(value) ?? text(raw.name) ?? text(object(raw.name).text)
  if (name === null) return []
  const url = text(raw.investorCrunchbaseUrl) ?? text(raw.investorUrl) ?? text(raw.url)
  return [{ name, logo: imageUrl(raw.logo) ?? imageUrl(raw.image), investor_url: url }]
}
