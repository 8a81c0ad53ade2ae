import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runVitae } from '../../harness/run-vitae.ts'
import { marker, personOf } from '../subjects.ts'
import { openOwnDatabase } from '../../harness/engines.ts'

const key = { VITAE_SECRET_KEY: 'the-secret-key-of-this-test' }

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-restore-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test.runIf(process.env['TEST_POSTGRES_URL'])(
  'a database restored by other tools gets the current suppression list before it is served',
  async () => {
    const own = await openOwnDatabase('empty')
    onTestFinished(() => own.drop())
    const restored = { ...key, DATABASE_URL: own.url, VITAE_DATA_DIR: ownFolder() }
    const today = { ...key, VITAE_DATA_DIR: ownFolder() }
    const slug = `ada-${marker()}`
    const [people, list] = [join(ownFolder(), 'people.ndjson'), join(ownFolder(), 'list.ndjson')]
    writeFileSync(people, `${JSON.stringify(personOf(slug))}\n`)
    for (const env of [restored, today])
      expect(
        await runVitae(['records', 'import', people, '--kind', 'people', '--fetched-at', '1d'], env),
      ).toMatchObject({ code: 0 })
    const erased = await runVitae(
      ['records', 'erase', slug, '--kind', 'people', '--reason', 'asked to', '--yes'],
      today,
    )
    expect(erased).toMatchObject({ code: 0 })
    writeFileSync(list, (await runVitae(['suppressions', 'export'], today)).stdout)

    const webhook = [
      'webhooks',
      'create',
      '--url',
      'https://hooks.example.com/',
      '--project',
      'p',
      '--events',
      'credits.low',
    ]
    await runVitae(['projects', 'create', 'p'], restored)
    expect(await runVitae(webhook, restored)).toMatchObject({ code: 0 })
    const backup = await runVitae(['backup', join(ownFolder(), 'vitae.db')], restored)
    const replayed = await runVitae(['restore', '--suppressions', list, '--json'], restored)
    const work = await runVitae(['resume-work', '--json'], restored)
    const shown = await runVitae(['records', 'show', slug, '--kind', 'people'], restored)

    expect(backup).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^vitae: [^\n]*pg_dump[^\n]*\n$/),
    })
    expect(replayed).toMatchObject({ code: 0, json: { erased_again: 1, work_stopped: true } })
    expect(work).toMatchObject({ code: 0, json: { resumed: true } })
    expect(shown).toMatchObject({ code: 1 })
  },
)
