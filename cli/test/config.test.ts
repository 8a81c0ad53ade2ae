import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { acme } from '../../provider/test/files/example.ts'
import { explainSettings } from '../../service/src/config/explain-settings.ts'
import { Folder } from './enrich/enrich-fixture.ts'
import { program, vitae, vitaeProcess } from './vitae.ts'

interface Variable {
  name: string
  value: string | null
  source: string
}

const token = 'a-token-of-many-letters'

test('config show prints each value and its source, hides secrets, and opens no store', async () => {
  const folder = new Folder()
  const dotEnv = folder.write(
    '.env',
    `PORT=9001\nLOG_LEVEL=warn\nVITAE_ADMIN_TOKEN=in-the-env-file-only\nVITAE_CACHE_MB="64" # MiB\n`,
  )
  const env = { PORT: '9002', VITAE_ADMIN_TOKEN_FILE: folder.write('token', `${token}\n`) }

  const shown = await vitae(['config', 'show', '--json'], { env, cwd: folder.path })
  const other = await vitae(['--env-file', folder.write('other.env', 'PORT=9003\n'), 'config', 'show', '--json'], {
    cwd: folder.path,
  })

  expect({ code: shown.code, stderr: shown.stderr }).toEqual({ code: 0, stderr: '' })
  const variables = new Map(
    (shown.json.variables as Variable[]).map(({ name, value, source }) => [name, [value, source]]),
  )
  expect(variables.get('PORT')).toEqual(['9002', 'environment'])
  expect(variables.get('LOG_LEVEL')).toEqual(['warn', dotEnv])
  expect(variables.get('VITAE_CACHE_MB')).toEqual(['64', dotEnv])
  expect(variables.get('HOST')).toEqual(['127.0.0.1', 'default'])
  expect(variables.get('VITAE_ADMIN_TOKEN')).toEqual(['(set)', 'VITAE_ADMIN_TOKEN_FILE'])
  expect(shown.stdout).not.toContain(token)
  expect(shown.json).toMatchObject({ env_file: dotEnv, service: null, settings: { http: { port: 9002 } } })
  expect(other.json).toMatchObject({
    env_file: folder.at('other.env'),
    settings: { http: { port: 9003 }, log_level: 'info' },
  })
  expect(() => folder.text('data/vitae.db')).toThrow('ENOENT')
})

test('config check prints every finding and exits with 1, and with 0 if nothing is wrong', async () => {
  const folder = new Folder()
  folder.write('.env', 'VITAE_PORT=9000\nVITAE_RATE_LIMIT=many\n')
  const env = { VITAE_CACHE_MB: 'much', DATABASE_URL: 'postgres://a', DATABASE_URL_FILE: '/nowhere' }

  const wrong = await vitae(['config', 'check', '--json'], { env, cwd: folder.path })
  const fine = await vitae(['config', 'check'], { cwd: import.meta.dirname })
  const missing = await vitae(['config', 'check', '--env-file', folder.at('no.env')])

  expect(wrong.code).toBe(1)
  expect(wrong.json).toMatchObject({ ok: false, env_file: folder.at('.env') })
  expect(wrong.json.findings.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'DATABASE_URL',
    'VITAE_CACHE_MB',
    'VITAE_PORT',
    'VITAE_RATE_LIMIT',
  ])
  expect(fine).toMatchObject({ code: 0, json: { ok: true, findings: [] } })
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^vitae: [^\n]*no\.env cannot be read[^\n]*\n$/),
  })
})

test('config check finds missing programs and contradictory settings, and leaves nothing behind', async () => {
  const folder = new Folder()
  const aFile = folder.write('a-file', '')
  const lacking = {
    HOST: '203.0.113.9',
    REDIS_URL: 'redis://127.0.0.1',
    VITAE_DIRECTORY: folder.at('nowhere'),
    VITAE_DATA_DIR: `${aFile}/data`,
    // This path accepts no folders, and Node's recursive mkdir would never end there.
    VITAE_BACKUP_DIR: '/proc/none/backups',
  }
  const mirror = { VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_URL: 'http://127.0.0.1:1', VITAE_MIRROR_KEY: 'k' }
  const doubtful = {
    ...mirror,
    VITAE_MIRROR_TIMEOUT_MS: '90000',
    VITAE_MAX_AGE_DEFAULT_DAYS: '9',
    VITAE_DATA_DIR: folder.at('data/below'),
  }
  const check = async (env: Record<string, string>) => {
    const { code, json } = await vitae(['config', 'check', '--json'], { env, cwd: folder.path })
    const findings = json.findings as { level: string; name: string }[]
    return { code, named: findings.map(({ level, name }) => `${level} ${name}`).toSorted() }
  }

  expect(await check(lacking)).toEqual({
    code: 1,
    named: Object.keys(lacking)
      .map((name) => `error ${name}`)
      .toSorted(),
  })
  expect(await check(doubtful)).toEqual({
    code: 0,
    named: ['warning VITAE_MAX_AGE_DEFAULT_DAYS', 'warning VITAE_MIRROR_TIMEOUT_MS'],
  })
  const patient = { ...doubtful, VITAE_PROXY_TIMEOUT_SECONDS: '120' }
  expect((await check(patient)).named).toEqual(['warning VITAE_MAX_AGE_DEFAULT_DAYS'])
  expect(() => folder.text('data/below')).toThrow('ENOENT')
  const start = await vitaeProcess(['serve'], {
    env: { ...doubtful, VITAE_UPSTREAM: 'directory', VITAE_DIRECTORY: aFile },
    cwd: folder.path,
  })
  expect([start.code, start.stderr]).toEqual([1, expect.stringMatching(/\nVITAE_DIRECTORY .* cannot be read[^\n]*\n$/)])
})

test('the start reads .env, reports it, and stops at an unknown name unless that is allowed', async () => {
  const folder = new Folder()
  folder.write('.env', `PORT=0\nLOG_LEVEL=info\nVITAE_DATA_DIR=${folder.at('data')}\nVITAE_RETENTION=30\n`)
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VITAE_'))
  const env = { ...Object.fromEntries(inherited), VITAE_ALLOW_UNKNOWN: 'true' }

  const stopped = await vitaeProcess(['serve'], { cwd: folder.path })
  const child = spawn(process.execPath, [program, 'serve'], { cwd: folder.path, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  await vi.waitFor(() => expect(stdout).toContain('Vitae is ready'), { timeout: 300_000, interval: 50 })
  const running = await vitae(['config', 'show', '--json'], { cwd: folder.path, env: { VITAE_ALLOW_UNKNOWN: 'true' } })
  child.kill('SIGTERM')
  await new Promise((resolve) => child.on('close', resolve))

  expect(stopped.code).toBe(1)
  expect(stopped.stderr).toMatch(/^VITAE_RETENTION is not a setting: did you mean VITAE_RECORD_DAYS\?.*\n$/)
  expect(stderr).toContain(`Settings are read from ${folder.at('.env')}`)
  expect(stderr).toContain('Warning: VITAE_RETENTION is not a setting')
  expect(running.json.service).toMatch(/^http:/)
  expect(running.json.variables).toContainEqual({ name: 'PORT', value: '0', source: folder.at('.env') })
})

test('config check explains each set variable, including those of all providers', async () => {
  const folder = new Folder()
  const env = { VITAE_DATA_DIR: `${folder.path}/data`, VITAE_CORESIGNAL_BUDGET: '5', VITAE_CORESIGNAL_KEY: 'a-key' }

  const { json } = await vitae(['config', 'check', '--json'], { env, cwd: folder.path })
  const { json: all } = await vitae(['config', 'show', '--json'], { env, cwd: folder.path })

  const { variables } = json as { variables: { name: string; value: string; meaning: string }[] }
  expect(variables.find(({ name }) => name === 'VITAE_CORESIGNAL_BUDGET')?.meaning).toMatch(/^Calls per UTC month/)
  expect(variables.find(({ name }) => name === 'VITAE_CORESIGNAL_KEY')).toMatchObject({ value: '(set)' })
  const explain = explainSettings()
  const names = (all as { variables: { name: string }[] }).variables.map(({ name }) => name)
  expect(names.filter((name) => explain(name) === null)).toEqual([])
})

test('a bad provider file stops the start with one line that names file, line and column, before a store is made', async () => {
  const folder = new Folder()
  folder.write('acmedata.provider.yaml', acme.replace('headline: headline', 'headline: headline | plain_txt'))
  const [line, column] = placeOf(readFileSync(join(folder.path, 'acmedata.provider.yaml'), 'utf8'), 'plain_txt')
  const env = {
    ...{ PORT: '0', VITAE_DATA_DIR: join(folder.path, 'data'), VITAE_PROVIDER_FILES: '.' },
    ...{ VITAE_UPSTREAM: 'acmedata', VITAE_ACMEDATA_KEY: 'k' },
  }

  const { code, stdout, stderr } = await vitaeProcess(['serve'], { env, cwd: folder.path })

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).toContain(`acmedata.provider.yaml:${line}:${column}: there is no function "plain_txt"`)
  expect(readdirSync(folder.path)).toEqual(['acmedata.provider.yaml'])
})

function placeOf(text: string, word: string): [line: number, column: number] {
  const before = text.slice(0, text.indexOf(word)).split('\n')
  return [before.length, (before.at(-1) ?? '').length + 1]
}
