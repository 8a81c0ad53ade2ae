import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { companiesMayAgree } from '../../../src/records/names/compare-companies.ts'
import { personNamesContradict, type PersonName } from '../../../src/records/names/contradict.ts'

/*
 * The results of the rules for pairs that they were not written for. These pairs must never be used to change a rule or
 * a list; write new pairs after such a change. The guide shows the figures as they come: `npm test -- held-out` prints
 * them.
 */

interface Pair {
  language: string
  areOne: boolean
  one: string
  other: string
}

function pairsIn(file: string): Pair[] {
  const pairs: Pair[] = []
  let language = ''
  for (const line of readFileSync(join(import.meta.dirname, 'held-out', file), 'utf8').split('\n')) {
    const heading = /^\[(.+)\]$/.exec(line)?.[1]
    if (heading) language = heading
    const [, one = '', sign, other = ''] = /^([^#[].*?) (!?=) (.+)$/.exec(line) ?? []
    if (sign) pairs.push({ language, areOne: sign === '=', one, other })
  }
  return pairs
}

function personOf(text: string): PersonName {
  const [first = '', last = ''] = text.split(' / ')
  return { first, last }
}

/** One line of the guide per language: the share of right refusals, and of refused strangers. */
function linesOf(pairs: readonly Pair[], isRefused: (pair: Pair) => boolean): string[] {
  return Array.from(
    Map.groupBy(pairs, ({ language }) => language),
    ([language, all]) => {
      const refused = all.filter(isRefused)
      const strangers = all.filter(({ areOne }) => !areOne)
      const right = refused.filter(({ areOne }) => !areOne).length
      const share = (part: number, whole: number) => (whole === 0 ? '-' : (part / whole).toFixed(2))
      return `| ${language} | ${all.length - strangers.length} | ${strangers.length} | ${share(right, refused.length)} | ${share(right, strangers.length)} |`
    },
  )
}

test('the guide has the figures of the held-out pairs, by language', () => {
  const people = linesOf(pairsIn('people.txt'), ({ one, other }) =>
    personNamesContradict(personOf(one), personOf(other)),
  )
  const companies = linesOf(pairsIn('companies.txt'), ({ one, other }) => !companiesMayAgree(one, other))
  console.log([...people, '', ...companies].join('\n'))
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/lab/match-quality.md'), 'utf8')
  for (const line of [...people, ...companies]) expect(guide).toContain(line)
})
