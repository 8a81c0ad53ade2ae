import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkConfig, readConfig } from '../../src/config/config.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitae-config-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const example = readFileSync(join(import.meta.dirname, '../../../.env.example'), 'utf8')
const lines = [...example.matchAll(/^# ([A-Z][A-Z\d_]+|VITAE_<PROVIDER>_[A-Z_]+)=(.*)$/gm)]

const providers = checkConfig({}).origin.variables.flatMap(
  ({ name }) => /^VITAE_(\w+)_STORE_DAYS$/.exec(name)?.[1] ?? [],
)

/**
 * Expands a line for all providers to one line each, unless the provider has its own line. The directory has no
 * settings.
 */
function written(): string[] {
  const own = new Set(lines.map(([, name = '']) => name))
  return lines.flatMap(([, name = '', value = '']) => {
    if (!name.includes('<PROVIDER>')) return [`${name}=${value}`]
    const isRemote = !/_(COST|\w+_DAYS)$/.test(name)
    const all = providers.filter((provider) => provider !== 'DIRECTORY' || !isRemote)
    const names = all.map((provider) => name.replace('<PROVIDER>', provider))
    return names.filter((one) => !own.has(one)).map((one) => `${one}=${value}`)
  })
}

test('.env.example lists every setting once, with its default, and settings of all providers in one block', () => {
  const settings = checkConfig({}).origin.variables.map(({ name, value }) => `${name}=${value ?? ''}`)

  // The command line and the compose file read these.
  const others = ['VITAE_API_KEY=', 'VITAE_URL=', 'POSTGRES_PASSWORD=']
  expect(written().toSorted()).toEqual([...settings, ...others].toSorted())
})

test('.env.example begins with the ten most important settings, and describes each setting in the line above', () => {
  const [, first = ''] = example.split(/^## .*$/m)
  const unexplained = lines.filter(({ index }) => !/\n# .{20,}\n$/.test(example.slice(0, index)))

  expect([...first.matchAll(/^# [\w<>]+=/gm)]).toHaveLength(10)
  expect(unexplained.map(([line]) => line)).toEqual([])
})

test('every secret can be read from a file, without its trailing newline', () => {
  const secret = 'a-secret-of-many-letters'
  const path = file('secret', `${secret}\n`)
  const names = checkConfig({
    ...{ VITAE_ADMIN_TOKEN: secret, VITAE_SECRET_KEY: secret, DATABASE_URL: 'postgres://a', REDIS_URL: 'redis://b' },
    ...{ VITAE_MIRROR_KEY: 'k', VITAE_HARVESTAPI_KEY: 'k', VITAE_ENRICHLAYER_KEY: 'k', VITAE_BRIGHTDATA_KEY: 'k' },
    ...{
      VITAE_CORESIGNAL_KEY: 'k',
      VITAE_PEOPLEDATALABS_KEY: 'k',
      VITAE_OIDC_CLIENT_SECRET: 'k',
    },
  }).origin.variables.flatMap(({ name, value }) => (value === '(set)' ? [name] : []))
  expect(names).toHaveLength(11)

  const { DATABASE_URL, REDIS_URL, ...rest } = Object.fromEntries(names.map((name) => [name, path]))
  const urls = { DATABASE_URL: file('database', 'postgres://a@b/c\r\n'), REDIS_URL: file('redis', 'redis://b') }
  const given = Object.entries({ ...rest, ...(DATABASE_URL && REDIS_URL ? urls : {}) })
  const config = readConfig(Object.fromEntries(given.map(([name, at]) => [`${name}_FILE`, at])))

  expect(config).toMatchObject({ adminToken: secret, secretKey: secret, databaseUrl: 'postgres://a@b/c' })
  expect(config.redisUrl).toBe('redis://b')
  expect(config.upstream.settings.coresignal?.key).toBe(secret)
  const sources = config.origin.variables.filter(({ name }) => names.includes(name)).map(({ source }) => source)
  expect(sources).toEqual(names.map((name) => `${name}_FILE`))
  expect(JSON.stringify(config.origin)).not.toContain(secret)
})

test('a secret that is set twice, or whose file is unreadable or empty, is reported in one line each', () => {
  const { errors } = checkConfig({
    DATABASE_URL: 'postgres://user:hidden@host/db',
    DATABASE_URL_FILE: file('database', 'postgres://a'),
    VITAE_ADMIN_TOKEN_FILE: join(folder, 'missing'),
    VITAE_CORESIGNAL_KEY_FILE: file('empty', '\n'),
    VITAE_SECRET_KEY_FILE: file('short', 'short'),
  })

  expect(errors).toHaveLength(4)
  expect(errors[0]).toBe('DATABASE_URL and DATABASE_URL_FILE are both set: give one of them')
  expect(errors[1]).toMatch(/^VITAE_ADMIN_TOKEN_FILE is ".*missing", but that file cannot be read: ENOENT/)
  expect(errors[2]).toBe('VITAE_SECRET_KEY is set, but must be at least 16 characters without spaces')
  expect(errors[3]).toMatch(/^VITAE_CORESIGNAL_KEY_FILE is ".*empty", but that file is empty$/)
})

test.each([
  ['VITAE_PORT', '9000', 'PORT'],
  ['VITAE_DATABASE_URL', 'postgres://a', 'DATABASE_URL'],
  ['VITAE_RETENTION', '30', 'VITAE_RECORD_DAYS'],
  ['VITAE_RATELIMIT', '300/60s', 'VITAE_RATE_LIMIT'],
  ['VITAE_HARVEST_API_KEY', 'k', 'VITAE_HARVESTAPI_KEY'],
  ['VITAE_PRICE_PEOPLE_FILE', '/x', 'VITAE_PRICE_PEOPLE'],
  ['VITAE_TOKEN', 'k', 'VITAE_ADMIN_TOKEN'],
])('%s stops the start and suggests the nearest name', (name, value, nearest) => {
  expect(() => readConfig({ [name]: value })).toThrow(`${name} is not a setting: did you mean ${nearest}? `)

  const allowed = readConfig({ [name]: value, VITAE_ALLOW_UNKNOWN: 'true' })

  expect(allowed.origin.warnings).toEqual([expect.stringContaining(`${name} is not a setting`)])
})

test('a removed setting is one warning that names the value that holds, and no other setting', () => {
  const env = { VITAE_WEBHOOKS_MAX: '500', VITAE_WORKERS: 'auto', VITAE_BATCH_SHARE: '0.5', VITAE_TAGS_MAX: ' ' }
  const { origin } = readConfig(env)

  expect(origin.warnings).toEqual([
    expect.stringMatching(/^VITAE_WORKERS has no effect since .*: start one process for each core/),
    expect.stringMatching(/^VITAE_WEBHOOKS_MAX has no effect since .*: the value is always 20 webhooks\./),
    expect.stringMatching(/^VITAE_BATCH_SHARE .*: rows of batches do not count in the rate limit of their key/),
  ])
  expect(origin.variables.map(({ name }) => name)).not.toContain('VITAE_WEBHOOKS_MAX')
})

test('a removed price stops the start, even among allowed unknown names', () => {
  const env = { VITAE_PRICE_THIN: '0', VITAE_ALLOW_UNKNOWN: 'true' }

  expect(() => readConfig(env)).toThrow(/^VITAE_PRICE_THIN has moved .*\{ "thin": true, "credits": 0 \}/)
})

test('variables of orchestrators, tests and the command line, and blank ones, do not stop the start', () => {
  const config = readConfig({
    VITAE_SERVICE_HOST: '10.0.0.1',
    VITAE_SERVICE_PORT: '8080',
    VITAE_SERVICE_PORT_HTTP: '8080',
    VITAE_PORT: 'tcp://10.0.0.1:8080',
    VITAE_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    VITAE_PORT_8080_TCP_PROTO: 'tcp',
    VITAE_PORT_8080_TCP_ADDR: '10.0.0.1',
    VITAE_REDIS_SERVICE_HOST: '10.0.0.2',
    VITAE_REDIS_PORT: 'tcp://10.0.0.2:6379',
    // As for a Kubernetes service named vitae-admin.
    VITAE_ADMIN_PORT: 'tcp://10.0.0.3:9090',
    VITAE_TEST_ANYTHING: '1',
    VITAE_URL: 'https://vitae.example.com',
    VITAE_API_KEY: 'vt_test_x',
    VITAE_UNKNOWN: ' ',
  })

  expect(config.http).toMatchObject({ port: 8080, adminPort: null })
  expect(config.origin.warnings).toEqual([])
})
