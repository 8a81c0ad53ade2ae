import type { Filled } from '../../lookup/asked/lookup.ts'
import type { FilledFields } from '../../mcp/tool-api.ts'

const token = /^[A-Za-z*][\w!#$%&'*+.^`|~:/-]*$/

/** Writes `X-Filled-From`, an RFC 9651 list: one element per provider and age, with the units it fills. */
export function filledFrom(filled: readonly Filled[], now: number): string {
  const elements = Map.groupBy(filled, ({ provider, fetchedAt }) => `${provider} ${ageSeconds(fetchedAt, now)}`)
  return [...elements.values()]
    .map((fills) => {
      const [{ provider, fetchedAt } = { provider: '', fetchedAt: now }] = fills
      const fields = fills.map(({ unit }) => unit).join(',')
      const name = token.test(provider) ? provider : JSON.stringify(provider)
      return `${name};fields="${fields}";age=${ageSeconds(fetchedAt, now)}`
    })
    .join(', ')
}

const element = /("(?:[^"\\]|\\.)*"|[^;,\s]+);fields="([^"]*)";age=(\d+)/g

/** Reads the header that `filledFrom` wrote. */
export function readFilledFrom(header: string): FilledFields[] {
  return [...header.matchAll(element)].map(([, name = '', fields = '', age]) => ({
    provider: name.startsWith('"') ? (JSON.parse(name) as string) : name,
    fields: fields.split(','),
    ageSeconds: Number(age),
  }))
}

function ageSeconds(fetchedAt: number, now: number): number {
  return Math.max(0, Math.floor((now - fetchedAt) / 1_000))
}
