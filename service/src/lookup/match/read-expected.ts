import type { Kind } from '@vitae/contract'
import { siteDomain } from '../../records/identifiers/site-domain.ts'
import { expectedNames, type Expected } from './expectations.ts'

/** The expectations that each kind of record supports. */
const expectable: Record<Kind, readonly (keyof Expected)[]> = {
  people: expectedNames,
  companies: ['company_name', 'company_domain', 'country_code'],
}

const expectedAtMost = 200

/** Whether a parameter or column name looks like an expectation. A misspelt one must be refused, not ignored. */
export function meansExpectation(name: string): boolean {
  return /^expect(?![a-z])/i.test(name)
}

/** The problem detail for an unknown expectation. */
export function unknownExpectation(kind: Kind): string {
  return `is not known; use one of ${expectable[kind].map((name) => `expect.${name}`).join(', ')}`
}

/** The caller's expectations; null if absent. */
export function parseExpected(
  kind: Kind,
  value: (name: keyof Expected) => string | undefined,
  complain: (parameter: string) => (detail: string) => void,
): Expected | null {
  const expected: Expected = {}
  for (const name of expectedNames)
    if (!expectable[kind].includes(name) && value(name) !== undefined)
      complain(`expect.${name}`)(unknownExpectation(kind))
  for (const name of expectable[kind]) {
    const text = value(name)?.normalize('NFC').trim()
    if (text === undefined) continue
    const problem = expectationProblem(name, text)
    if (problem) complain(`expect.${name}`)(problem)
    else expected[name] = text
  }
  return Object.keys(expected).length > 0 ? expected : null
}

function expectationProblem(name: keyof Expected, text: string): string | null {
  if (text === '' || text.length > expectedAtMost) return `must be a text of 1 to ${expectedAtMost} characters`
  if (name === 'country_code' && !/^[A-Z]{2}$/i.test(text)) return 'must be two letters such as DE'
  return name === 'company_domain' && !siteDomain(text) ? 'must be a domain such as example.com' : null
}
