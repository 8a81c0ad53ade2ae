import type { Company } from '@vitae/contract'
import { text } from './text.ts'

/** The platform's company types, by code. */
const names: Record<string, string> = {
  PUBLIC_COMPANY: 'Public Company',
  PRIVATELY_HELD: 'Privately Held',
  NON_PROFIT: 'Nonprofit',
  EDUCATIONAL: 'Educational',
  GOVERNMENT_AGENCY: 'Government Agency',
  PARTNERSHIP: 'Partnership',
  SELF_EMPLOYED: 'Self-Employed',
  SELF_OWNED: 'Sole Proprietorship',
}

/** Spellings that providers use, folded to letters. */
const codes: Record<string, string> = {
  publiccompany: 'PUBLIC_COMPANY',
  public: 'PUBLIC_COMPANY',
  publicsubsidiary: 'PUBLIC_COMPANY',
  privatelyheld: 'PRIVATELY_HELD',
  private: 'PRIVATELY_HELD',
  privatecompany: 'PRIVATELY_HELD',
  privatesubsidiary: 'PRIVATELY_HELD',
  nonprofit: 'NON_PROFIT',
  nonprofitorganization: 'NON_PROFIT',
  educational: 'EDUCATIONAL',
  education: 'EDUCATIONAL',
  educationalinstitution: 'EDUCATIONAL',
  government: 'GOVERNMENT_AGENCY',
  governmentagency: 'GOVERNMENT_AGENCY',
  partnership: 'PARTNERSHIP',
  selfemployed: 'SELF_EMPLOYED',
  selfowned: 'SELF_OWNED',
  soleproprietorship: 'SELF_OWNED',
}

/** The company type for a code or a name. Unknown words are kept without a code. */
export function companyType(value: unknown): Company['company_type'] {
  const given = text(value)
  if (given === null) return null
  const code = codes[given.toLowerCase().replace(/[^a-z]/g, '')]
  const isDisplayName = /[A-Z][a-z]/.test(given)
  return { type_code: code ?? null, type_name: code === undefined || isDisplayName ? given : (names[code] ?? given) }
}
