import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { examplePerson } from '../../contract/src/operations/example-records.ts'
import { openTestService } from '../../service/test/harness/test-service.ts'
import { placesOf } from '../../service/test/harness/search-bytes.ts'
import { vitae } from './vitae.ts'

const person = (slug: string, number: number) => ({
  ...examplePerson,
  public_identifier: slug,
  profile_url: `https://www.linkedin.com/in/${slug}`,
  member_urn: `urn:li:member:${number}`,
  contact_info: { email_address: `${slug}@quill.example`, phone_numbers: [] },
})

test('a file of ids is erased at once: each line has its outcome, and an invalid line stops all of them', async () => {
  const people = {
    'ada-quill-1': person('ada-quill-1', 810_001),
    'bea-quill-2': person('bea-quill-2', 810_002),
    'cleo-quill-3': person('cleo-quill-3', 810_003),
  }
  const service = await openTestService({ people })
  for (const slug of Object.keys(people)) await service.person(slug)
  const folder = mkdtempSync(join(tmpdir(), 'vitae-erase-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'ids.txt')
  const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
  const erase = (...args: string[]) => vitae(['records', 'erase', ...args], { env })
  const lines = [
    '# requests of May',
    '',
    'ada-quill-1',
    'https://www.linkedin.com/in/bea-quill-2/',
    '  ',
    'cleo-quill-3@quill.example',
    'wren-never-seen',
  ]

  writeFileSync(file, [...lines, 'two words', 'https://example.org/x', 'not@an@address'].join('\n'))
  const wrong = await erase('--file', file, '--kind', 'people', '--reason', 'May', '--yes')
  const untouched = await service.person('ada-quill-1')
  writeFileSync(file, `${lines.join('\r\n')}\r\n`)
  const plan = await erase('--file', file, '--kind', 'people', '--reason', 'May', '--dry-run', '--json')
  const erased = await erase('--file', file, '--kind', 'people', '--reason', 'May', '--yes', '--json')
  const again = await erase('--file', file, '--kind', 'people', '--reason', 'May', '--yes', '--json')
  const unclear = await erase('--file', file, 'ada-quill-1', '--reason', 'May', '--yes')
  const gone = await Promise.all(Object.keys(people).map(async (slug) => (await service.person(slug)).status))

  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toMatch(
    /3 lines are wrong[^]*line 8: two words[^]*line 9: https:\/\/example.org\/x[^]*line 10: not@an@address/,
  )
  expect(untouched.status).toBe(200)
  const outcomes = [
    { line: 3, id: 'ada-quill-1', kind: 'people', entities: 1 },
    { line: 4, entities: 1 },
    { line: 6, id: 'cleo-quill-3@quill.example', entities: 1 },
    { line: 7, id: 'wren-never-seen', entities: 0 },
  ]
  expect(plan.json).toMatchObject({ lines: outcomes, suppressed_hashes: 0 })
  expect(erased).toMatchObject({ code: 0, json: { lines: outcomes } })
  expect(again.json.lines[0]).toMatchObject({ id: 'ada-quill-1', entities: 0 })
  expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining('an id, or a file of ids') })
  expect(gone).toEqual([404, 404, 404])
  expect(placesOf('-quill-', service.folder)).toEqual([])
})
