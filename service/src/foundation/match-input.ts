/** What may be known of a person or company, normalised. Never stored and never logged: only keyed hashes of it are. */
export interface MatchInput {
  /** In lower case. */
  email?: string
  /** E.164. */
  phone?: string
  /** The whole name. */
  name?: string
  first_name?: string
  last_name?: string
  company?: string
  company_domain?: string
  location?: string
  /** Of a company. */
  domain?: string
  country?: string
  /** 0 to 1. */
  minLikelihood: number
}

export type MatchSignal = Exclude<keyof MatchInput, 'minLikelihood'>
