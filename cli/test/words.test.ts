import { expect, onTestFinished, test } from 'vitest'
import { examplePerson } from '../../contract/src/operations/example-records.ts'
import { startTestService } from '../../service/test/harness/test-service.ts'
import { outline } from '../src/terminal/output.ts'
import { atTerminal } from './at-terminal.ts'
import { program } from './vitae.ts'

test.skipIf(process.platform !== 'linux')('at a terminal commands print text, and JSON only with --json', async () => {
  const service = await startTestService({
    people: { 'ada-fictional': { ...examplePerson, public_identifier: 'ada-fictional' } },
  })
  onTestFinished(() => service.close())
  const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
  const run = (line: string) => atTerminal(`"${process.execPath}" "${program}" ${line}`, 'n', env)
  const looksLikeJson = /^\s*\{|":/m

  const found = await run('lookup people ada-fictional')
  const json = await run('lookup people ada-fictional --json')

  expect(found).toContain(`headline: ${examplePerson.headline}`)
  expect(json).toMatch(looksLikeJson)
  for (const line of ['records show ada-fictional', 'doctor', 'config check', 'retention plan'])
    expect(await run(line), line).not.toMatch(looksLikeJson)
  expect(found).not.toMatch(looksLikeJson)
})

test('the outline of a record has every non-empty value, and no braces', () => {
  const text = outline({
    name: 'Ada',
    skills: ['a', 'b'],
    none: null,
    empty: [],
    jobs: [{ title: 'Lead', at: { iso: '2019' } }, { title: 'CTO' }],
  })

  expect(text).toBe('name: Ada\nskills: a, b\njobs:\n  - title: Lead\n    at:\n      iso: 2019\n  - title: CTO')
})

test('text in a record cannot move the cursor or hide neighbouring text', () => {
  expect(outline({ headline: 'Lead\u001B[2J\u202Eevil\nof two lines' })).toBe(
    'headline: Lead\uFFFD[2J\uFFFDevil of two lines',
  )
})
