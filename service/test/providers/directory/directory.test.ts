import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Identifier } from '../../../src/foundation/identifier.ts'
import { openDirectory } from '../../../src/providers/directory/directory.ts'
import { createNameIndex } from '../../../src/providers/directory/name-index.ts'
import { askFor, handClock } from '../transport/faulty-server.ts'

const ada = {
  member_urn: 'urn:li:member:7001',
  entity_urn: 'urn:li:fsd_profile:ACoAAAdaFiction',
  public_identifier: 'Ada-Fiction',
  first_name: 'Ada',
}
const acme = { company_id: '9001', public_identifier: 'acme.fiction', company_name: 'Acme' }

/** A folder with the given lines; values other than strings are written as JSON. */
async function directoryOf(people: unknown[], companies: unknown[] | null = [acme], end = '\n') {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-directory-'))
  const text = (lines: unknown[]) =>
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join(end)
  writeFileSync(join(folder, 'people.ndjson'), text(people))
  if (companies) writeFileSync(join(folder, 'companies.ndjson'), text(companies))
  const bad: { file: string; number: number; reason: string; fields?: readonly string[] }[] = []
  const directory = await openDirectory({ folder, clock: handClock(5), onBadLine: (line) => bad.push(line) })
  onTestFinished(async () => {
    await directory.close()
    rmSync(folder, { recursive: true })
  })
  const find = async (identifier: Identifier) => {
    const { outcome, answer } = await directory.ask(askFor('', { identifier }), () =>
      Promise.reject(new Error('no network')),
    )
    return { outcome, status: answer.status, text: Buffer.from(answer.body).toString(), receivedAt: answer.receivedAt }
  }
  const person = (type: Identifier['type'], value: string) => find({ kind: 'people', type, value })
  const company = (type: Identifier['type'], value: string) => find({ kind: 'companies', type, value })
  return { directory, folder, bad, person, company }
}

describe('the directory', () => {
  test('finds a person by slug, member number and opaque id, a company by slug and number', async () => {
    const { person, company, directory } = await directoryOf([
      { first_name: 'Other', member_urn: 'urn:li:member:1' },
      ada,
    ])
    const line = { outcome: 'found', status: 200, text: JSON.stringify(ada), receivedAt: 5 }

    expect(await person('slug', 'ada-fiction')).toEqual(line)
    expect(await person('slug', '7001')).toEqual(line)
    expect(await person('opaque', 'ACoAAAdaFiction')).toEqual(line)
    expect(await company('slug', 'acme.fiction')).toMatchObject({ outcome: 'found', text: JSON.stringify(acme) })
    expect(await company('id', '9001')).toMatchObject({ outcome: 'found' })
    expect(directory.counts).toEqual({ people: 2, companies: 1 })
  })

  test('answers an unknown name with a 404 and a small JSON body, case-sensitive for opaque ids', async () => {
    const { person, company } = await directoryOf([ada])

    for (const missing of [
      person('slug', 'nobody'),
      person('opaque', 'acoaaadafiction'),
      person('slug', '9001'),
      company('slug', 'ada-fiction'),
    ]) {
      expect(await missing).toEqual({ outcome: 'not_found', status: 404, text: '{"code":"not_found"}', receivedAt: 5 })
    }
  })

  test('reports invalid lines by number and reason and skips them, and unreadable fields by name; blank lines are valid', async () => {
    const lines = [
      '{"member_urn":',
      ada,
      '',
      '   ',
      '[]',
      { first_name: 'Nobody' },
      { ...ada, skills: 'sewing' },
      { public_identifier: 'last' },
    ]
    const { bad, person, directory } = await directoryOf(lines)

    expect(bad.map(({ number, fields }) => [number, fields])).toEqual([
      [1, undefined],
      [5, undefined],
      [6, undefined],
      [7, ['skills']],
    ])
    expect(bad.map(({ reason }) => reason).join()).not.toContain('sewing')
    expect(bad[0]?.file).toMatch(/people\.ndjson$/)
    expect(directory.counts.people).toBe(3)
    expect(await person('slug', 'last')).toMatchObject({ outcome: 'found' })
  })

  test('uses the later of two lines with one name', async () => {
    const { person } = await directoryOf([ada, { ...ada, headline: 'newer' }])

    expect((await person('slug', 'ada-fiction')).text).toContain('newer')
  })

  test('counts offsets in bytes: any script, Windows line ends and a last line without an end', async () => {
    const greek = { ...ada, public_identifier: 'αθηνά', headline: '🦉'.repeat(1_000) }
    const last = { member_urn: 'urn:li:member:3', public_identifier: 'last' }
    const { person } = await directoryOf(['', greek, last], null, '\r\n')

    expect((await person('slug', 'αθηνά')).text).toBe(JSON.stringify(greek))
    expect((await person('slug', 'last')).text).toBe(JSON.stringify(last))
  })

  test('reads lines longer than a chunk completely, and skips a line beyond the limit without holding it', async () => {
    const long = { ...ada, summary: 'a'.repeat(700_000) }
    const { person, bad } = await directoryOf([
      long,
      `{"x":"${'a'.repeat(9_000_000)}"}`,
      { ...ada, public_identifier: 'after', member_urn: 'urn:li:member:5' },
    ])

    expect((await person('slug', 'ada-fiction')).text).toBe(JSON.stringify(long))
    expect(bad).toMatchObject([{ number: 2 }])
    expect(await person('slug', 'after')).toMatchObject({ outcome: 'found' })
  })

  test('distinguishes two slugs with the same hash', async () => {
    const [one, two] = ['f3593f47', '819e3d6c']
    const index = createNameIndex()
    index.add(`slug:${one}`, 0)
    expect(index.candidates(`slug:${two}`)).toEqual([0])

    const { person } = await directoryOf([{ public_identifier: one }])

    expect(await person('slug', one)).toMatchObject({ outcome: 'found' })
    expect(await person('slug', two)).toMatchObject({ outcome: 'not_found' })
  })

  test('treats a missing file as empty, and a folder with neither as an error', async () => {
    const { company } = await directoryOf([ada], null)
    expect(await company('id', '9001')).toMatchObject({ outcome: 'not_found' })

    const folder = mkdtempSync(join(tmpdir(), 'vitae-directory-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    await expect(openDirectory({ folder, clock: handClock(), onBadLine: () => {} })).rejects.toThrow(
      'neither people.ndjson',
    )
  })

  test('finds every one of 20,000 records, and leaves later appended lines for the next start', async () => {
    const record = (number: number) => ({
      member_urn: `urn:li:member:${number}`,
      public_identifier: `person-${number}`,
      first_name: `P${number}`,
    })
    const { person, folder, directory } = await directoryOf(Array.from({ length: 20_000 }, (_, at) => record(at + 1)))
    appendFileSync(join(folder, 'people.ndjson'), `\n${JSON.stringify(record(99_999))}`)

    expect(directory.counts.people).toBe(20_000)
    for (const number of [1, 2, 777, 4_096, 19_999, 20_000]) {
      expect((await person('slug', `person-${number}`)).text).toBe(JSON.stringify(record(number)))
    }
    expect(await person('slug', 'person-99999')).toMatchObject({ outcome: 'not_found' })
  })

  test('it supplies every field there is', async () => {
    const { directory } = await directoryOf([ada])

    for (const path of [
      'headline',
      'contact_info.birth_date',
      'experience.company_id',
      'experience.positions.title',
      'languages.proficiency',
    ]) {
      expect(directory.supplies.people).toContain(path)
    }
    expect(directory.supplies.companies).toContain('funding_data.last_funding_round.money_raised.amount')
    expect(directory.supplies.companies).not.toContain('founded_on.year')
  })
})

test('the index returns every row of a name, even after it grew', () => {
  const index = createNameIndex()
  for (let row = 0; row < 10_000; row++) index.add(`slug:${row % 5_000}`, row)

  for (let name = 0; name < 5_000; name++) {
    const rows = index.candidates(`slug:${name}`)
    expect(rows.slice(0, 2)).toEqual(expect.arrayContaining([name + 5_000]))
    expect(rows).toContain(name)
  }
  expect(index.candidates('slug:nobody').length).toBeLessThan(2)
})
