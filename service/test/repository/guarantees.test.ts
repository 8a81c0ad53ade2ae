import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testedFaults } from '../planted/faults/faults.ts'
import { planted } from '../simulation/faults/plant.ts'
import { faults as simulated } from '../simulation/faults/faults.ts'
import { laws as lawsOfSimulator } from '../simulation/laws/law.ts'
import { faults as ofWorld } from '../world/faults/faults.ts'

const service = join(import.meta.dirname, '../..')
const page = readFileSync(join(service, '../docs/reference/guarantees.md'), 'utf8')
const faults = [...simulated, ...ofWorld, ...testedFaults]
const tally = readFileSync(join(service, 'test/world/laws/tally.ts'), 'utf8')
const [, lawsOfWorld = ''] = /export type Law =\n((?: {2}\| '.+'\n)+)/.exec(tally) ?? []
const laws: readonly string[] = [
  ...lawsOfSimulator,
  ...Array.from(lawsOfWorld.matchAll(/'(.+)'/g), ([, law = '']) => law),
]
const rows = page
  .split('\n')
  .filter((line) => /^\|.*`.*\|$/.test(line))
  .map((line) => {
    const [sentence = '', decided = '', shown = '', law = '', fault = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
    return { sentence, decided: decided.replaceAll('`', ''), shown: shown.replaceAll('`', ''), law, fault }
  })
const mark = '**\\***'
const ofItsTest = 'its test'

describe('the list of guarantees', () => {
  test('names only existing code, tests, and laws and faults of the simulator and the world', () => {
    const faultNames = faults.map(({ name }) => name)
    const wrong = rows.flatMap(({ sentence, decided, shown, law, fault }) => [
      ...(existsSync(join(service, 'src', decided)) || existsSync(join(service, '..', decided))
        ? []
        : [`${sentence} ${decided}`]),
      ...(existsSync(join(service, 'test', shown)) || existsSync(join(service, '..', shown))
        ? []
        : [`${sentence} ${shown}`]),
      ...(law === 'none' || law === ofItsTest || laws.includes(law) ? [] : [`${sentence} ${law}`]),
      ...(fault === 'none' || faultNames.includes(fault) ? [] : [`${sentence} ${fault}`]),
    ])

    expect(rows.length).toBeGreaterThan(50)
    expect(wrong).toEqual([])
  })

  test('marks exactly the guarantees without a law or a fault', () => {
    const wrong = rows.filter(
      ({ sentence, law, fault }) => sentence.endsWith(mark) !== (law === 'none' || fault === 'none'),
    )
    expect(wrong.map(({ sentence }) => sentence)).toEqual([])
  })

  test('names the test that a fault must make fail', () => {
    const tests = new Map(testedFaults.map(({ name, test }) => [name, join('service/test', test)]))
    const paths = (shown: string) => [shown, join('service/test', shown)]
    const wrong = rows.filter(({ shown, law, fault }) => {
      const test = tests.get(fault)
      return test === undefined ? law === ofItsTest : !paths(shown).includes(test)
    })
    expect(wrong.map(({ sentence }) => sentence)).toEqual([])
  })

  test.for(testedFaults)('the source text of a fault exists: $name', (fault) => {
    const source = readFileSync(join(service, 'src', fault.file), 'utf8')
    expect(planted(fault, source)).not.toBe(source)
  })

  test('has every law and every fault of the simulator and the world', () => {
    expect(laws.filter((name) => !rows.some(({ law }) => law === name))).toEqual([])
    expect(faults.filter(({ name }) => !rows.some(({ fault }) => fault === name))).toEqual([])
  })
})
