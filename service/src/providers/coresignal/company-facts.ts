import type { CompanyLocation, CompanySummary, FundingRound } from '@vitae/contract'

/** The facts of a company record in any of the three data sets. Null means that the data set lacks the field. */
export interface CompanyFacts {
  platformNumber: unknown
  pageUrl: unknown
  name: unknown
  website: unknown
  logo: unknown
  phone: unknown
  staffCount: unknown
  staffRange: unknown
  followers: unknown
  founded: unknown
  updatedAt: unknown
  specialities: string[] | null
  headquarter: CompanyLocation | null
  locations: CompanyLocation[]
  roundsCount: number | null
  rounds: FundingRound[]
  affiliated: CompanySummary[] | null
}
