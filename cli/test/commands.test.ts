import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { examplePerson } from '../../contract/src/operations/example-records.ts'
import { openTestService, type TestService } from '../../service/test/harness/test-service.ts'
import { program, vitae } from './vitae.ts'

const ada = { ...examplePerson, public_identifier: 'ada-example', headline: 'Engineer' }

/** The command line as an operator on another machine uses it. */
function remote(service: TestService) {
  const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
  return (...args: string[]) => vitae(args, { env })
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'vitae-cli-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('calls, usage, receipts and records of a running service are read from another machine', async () => {
  const service = await openTestService({ people: { 'ada-example': ada } })
  const run = remote(service)
  const answered = await service.person('ada-example')
  service.upstream.people.set('ada-example', { ...ada, headline: 'Chief engineer' })
  service.clock.advance({ days: 1 })

  const calls = await run('calls', 'list', '--kind', 'people', '--json')
  const usage = await run('usage', '--by', 'source', '--json')
  const csv = await run('usage', '--csv')
  const explained = await run('calls', 'show', answered.headers.get('x-request-id')!, '--json')
  const unknown = await run('calls', 'show', 'no-such-call')
  const refreshed = await run('records', 'refresh', 'ada-example', '--kind', 'people', '--json')
  const diff = await run('records', 'diff', ada.member_urn, '--json')
  const found = await run('records', 'search', 'ada-ex', '--json')
  const scorecard = await run('providers', 'scorecard', '--range', 'month', '--json')

  expect(calls.json.calls).toMatchObject([{ status: 200, source: 'live', credits: 1 }])
  expect(usage.json.rows).toMatchObject([{ source: 'live', calls: 1, credits: 1 }])
  expect(csv.stdout).toMatch(/^period,calls,credits,p50_ms,p95_ms\r\n/)
  expect(explained.json).toMatchObject({
    identifier: 'ada-example',
    attempts: [{ provider: 'mirror', outcome: 'found' }],
    price_lines: [{ credits: 1 }],
    hold: null,
  })
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('The call log has no call no-such-call') })
  expect(refreshed.json.record.headline).toBe('Chief engineer')
  expect(diff.json).toEqual({
    changes: [{ kind: 'headline', path: 'headline', before: 'Engineer', after: 'Chief engineer' }],
  })
  expect(found.json.records).toMatchObject([{ key: ada.member_urn, versions: 2 }])
  expect(scorecard.json.providers[0]).toMatchObject({ provider: 'mirror', kind: 'people', found: 2, money: null })
})

test('a list is printed as CSV with every page, or with as many rows as --limit says, and no cell is a formula', async () => {
  const service = await openTestService()
  const run = remote(service)
  for (let number = 0; number < 101; number++)
    await service.makeKey({ label: number === 0 ? '=1+1, sync' : `key ${number}`, networks: ['10.0.0.0/8'] })

  const [all, three, table] = [
    await run('keys', 'list', '--csv'),
    await run('keys', 'list', '--csv', '--limit', '3'),
    await run('keys', 'list', '--limit', '3', '--json'),
  ]
  const rows = all.stdout.trimEnd().split('\r\n')

  expect(rows[0]).toBe(
    'id,display,project,environment,mode,label,ceiling,spent_this_month,daily_ceiling,spent_today,rate,revoked_at',
  )
  expect(rows.filter((row) => row.includes('key '))).toHaveLength(100)
  expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(rows.length)
  expect(all.stdout).toContain(`,"'=1+1, sync",`)
  expect(all.stderr).toBe('')
  expect(three.stdout.trimEnd().split('\r\n')).toHaveLength(4)
  expect(table.stderr).toContain('There are more: --cursor ')
})

test('a daily ceiling and a budget are set, apply from the next call on, and are removed', async () => {
  const service = await openTestService({ people: { 'ada-example': ada } })
  service.clock.set('2026-11-30T23:59:00Z')
  const run = remote(service)
  const account = ['--project', 'acme', '--environment', 'production']
  const { id, key } = await service.makeKey()
  const call = async (apiKey: string) => (await service.person('ada-example', '', { ApiKey: apiKey })).text
  await call(key)

  const limited = await run('keys', 'update', id, '--daily-ceiling', '1', '--json')
  const refused = await service.person('ada-example', '', { ApiKey: key })
  const budget = await run('credits', 'budget', ...account, '--monthly', '1', '--json')
  const other = await call(service.liveKey)
  const both = await call(key)
  service.clock.advance({ minutes: 2 })
  const later = await service.person('ada-example', '', { ApiKey: key })
  const rotated = await run('keys', 'rotate', id, '--overlap', '0s', '--json')
  const balance = await run('credits', 'balance', ...account, '--json')
  const unlimited = await run('keys', 'update', rotated.json.id, '--daily-ceiling', 'none', '--json')
  const alerts = await run('alerts', 'set', ...account, '--credits-below', '5', '--ceiling-percent', '70', '--json')
  expect(alerts.json).toEqual({ credits_below: 5, ceiling_percent: 70 })
  await run('alerts', 'set', ...account, '--credits-below', 'default', '--json')
  const shown = await run('alerts', 'show', ...account, '--json')
  expect(shown.json).toEqual({ credits_below: 1, ceiling_percent: 70 })

  const without = await run('credits', 'budget', ...account, '--monthly', 'none', '--json')

  expect(limited.json).toMatchObject({ daily_ceiling: 1, spent_today: 1, spent_this_month: 1 })
  expect([refused.status, refused.text]).toEqual([402, 'credit_ceiling_reached'])
  expect(refused.headers.get('x-credits-ceiling-remaining')).toBe('0')
  expect(refused.headers.get('x-credits-ceiling-reset')).toBe('60')
  expect(budget.json).toMatchObject({ monthly_budget: 1, spent_this_month: 1 })
  expect([other, both]).toEqual(['out_of_credits', 'credit_ceiling_reached'])
  expect(later.status).toBe(200)
  expect(rotated.json).toMatchObject({ daily_ceiling: 1, spent_today: 1 })
  expect(balance.json).toMatchObject({ monthly_budget: 1, spent_this_month: 1 })
  expect(unlimited.json).toMatchObject({ daily_ceiling: null })
  expect(without.json).not.toHaveProperty('monthly_budget')
  expect(await call(rotated.json.key)).toContain('member_urn')
})

test('an empty project name, as of an unset variable, is refused and never means every project', async () => {
  const service = await openTestService()
  const run = remote(service)

  const token = await run('tokens', 'create', '--role', 'operator', '--project', '', '--json')
  const calls = await run('calls', 'list', '--project', '', '--json')
  const tokens = await run('tokens', 'list', '--json')

  expect(token).toMatchObject({ code: 1, stdout: '' })
  expect(tokens.json).toEqual([])
  expect(calls.json?.calls ?? []).toEqual([])
})

test('a lookup with a key is the caller’s and is paid; without one nobody pays; a dry run spends nothing', async () => {
  const service = await openTestService({ credits: 10 })
  const run = remote(service)

  const dry = await run('lookup', 'people', 'ada', '--dry-run', '--key', service.liveKey, '--json')
  const free = await run('lookup', 'people', 'ada', '--contact', '--json')
  const afterFree = await service.balance()
  const paid = await run('lookup', 'people', 'ada', '--key', service.liveKey, '--json')
  const refused = await run('lookup', 'people', 'ada', '--key', 'vt_live_nonsense')

  expect(dry.json).toMatchObject({ source: 'live', age_seconds: 0, cost: 1, would_exceed: false })
  expect(free.json.contact_info).not.toBeNull()
  expect(afterFree.balance).toBe(10)
  expect(paid.json.contact_info).toBeNull()
  expect((await service.balance()).balance).toBe(9)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('invalid_api_key')
})

test('an import reports invalid lines by number and skips them; an erasure shows its plan and suppresses', async () => {
  const service = await openTestService()
  const run = remote(service)
  const file = join(folder(), 'people.ndjson')
  writeFileSync(
    file,
    `${JSON.stringify(ada)}\n{"broken":\n\n${JSON.stringify({ company_id: '77', company_name: 'W' })}\r\n`,
  )

  const imported = await run('records', 'import', file, '--fetched-at', '1d', '--json')
  const plan = await run('records', 'erase', 'ada-example', '--reason', 'r', '--dry-run', '--json')
  const erased = await run('records', 'erase', 'ada-example', '--reason', 'request 1', '--yes', '--json')
  const again = await run('records', 'import', file, '--fetched-at', '1d', '--json')
  const gone = await run('records', 'history', 'ada-example')
  const check = await run('suppressions', 'check', 'ada-example', 'other', '--json')
  const exported = await run('suppressions', 'export')
  const reprojected = await run('records', 'reproject', '--json')
  const audit = await run('audit', 'verify', '--json')

  expect(imported.json).toMatchObject({ lines: 4, saved: 2, bad_lines: 1, errors: [{ line: 2 }] })
  expect(imported.stderr).toMatch(/^\S+, line 2: /)
  expect(plan.json.entities).toMatchObject([{ key: ada.member_urn, versions: 1 }])
  expect(erased.json.erased).toMatchObject({ entities: 1, versions: 1 })
  expect(again.json).toMatchObject({ saved: 0, suppressed: 1, unchanged: 1 })
  expect(gone).toMatchObject({ code: 1, stdout: '' })
  expect(check.json).toEqual({ suppressed: ['ada-example'] })
  expect(reprojected.json).toMatchObject({ seen: 1, changed: 0, failed: 0 })
  expect(audit.json).toMatchObject({ ok: true })
  expect(exported.stdout.trim().split('\n').length).toBe(erased.json.suppressed_hashes)
})

test('an id of both a person and a company needs --kind', async () => {
  const service = await openTestService()
  const run = remote(service)
  await service.person('twin')
  await service.company('twin')

  const unclear = await run('records', 'history', 'twin')
  const clear = await run('records', 'history', 'twin', '--kind', 'companies', '--json')

  expect(unclear.code).toBe(2)
  expect(unclear.stderr).toContain('--kind')
  expect(clear.json.kind).toBe('companies')
})

test('without a running service the store itself answers', async () => {
  const env = { VITAE_DATA_DIR: join(folder(), 'data'), VITAE_UPSTREAM: 'directory' }
  const run = (...args: string[]) => vitae(args, { env })

  const made = await run('projects', 'create', 'acme', '--json')
  const doctor = await run('doctor', '--json')
  const looked = await run('lookup', 'people', 'amara-okafor', '--json')
  const erased = await run('records', 'erase', 'amara-okafor', '--reason', 'r', '--yes', '--json')

  expect(made.code).toBe(0)
  expect(doctor).toMatchObject({ code: 0, json: { ok: true, errors: 0 } })
  expect(doctor.json.checks.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining([
      'node',
      'data folder',
      'file modes',
      'engine',
      'migrations',
      'clock',
      'provider directory',
    ]),
  )
  expect(looked.json.public_identifier).toBe('amara-okafor')
  expect(erased.json.erased.entities).toBe(1)
})

test('a reading command creates no store in an empty folder, and names the folder', async () => {
  const missing = join(folder(), 'mistyped')
  const other = folder()
  writeFileSync(join(other, 'notes.txt'), 'not a store')
  const reads = [
    ['doctor', '--json'],
    ['keys', 'list'],
    ['records', 'show', 'amara-okafor'],
    ['suppressions', 'check', 'amara-okafor'],
    ['store', 'move', '--from', missing, '--to', join(other, 'copy'), '--yes'],
  ]
  const env = (dir: string) => ({ VITAE_DATA_DIR: dir, VITAE_UPSTREAM: 'directory' })

  const inMissing = await Promise.all(reads.map((args) => vitae(args, { env: env(missing) })))
  const inOther = await vitae(['keys', 'list'], { env: env(other) })
  const inFile = await vitae(['doctor', '--json'], { env: env(join(other, 'notes.txt')) })

  for (const { code, stdout, stderr } of inMissing) {
    expect(code).toBe(1)
    expect(`${stdout}${stderr}`).toContain(missing)
  }
  expect(inMissing[0]?.json.checks).toMatchObject([{ name: 'data folder', state: 'error' }])
  expect(inOther).toMatchObject({ code: 1, stderr: expect.stringContaining('contains no Vitae store') })
  expect(inFile.json.checks).toMatchObject([{ name: 'data folder', detail: expect.stringContaining('not a folder') }])
  expect([existsSync(missing), readdirSync(other)]).toEqual([false, ['notes.txt']])
})

test('"none" for the parts, endpoints or networks of a key allows none, and "all" removes the limit', async () => {
  const service = await openTestService({ people: { 'ada-example': ada }, credits: 100 })
  const run = remote(service)
  const place = ['--project', 'acme', '--environment', 'production', '--mode', 'live', '--json']
  const ask = async (key: string) =>
    (await service.person('ada-example', '&include_contact_info=true', { ApiKey: key })).status
  const refusals = { parts: 'part_not_allowed', endpoints: 'endpoint_not_allowed', networks: 'address_not_allowed' }

  for (const [name, refusal] of Object.entries(refusals)) {
    const made = await run('keys', 'create', ...place, `--${name}`, 'none')
    const refused = await service.person('ada-example', '&include_contact_info=true', { ApiKey: made.json.key })
    const opened = await run('keys', 'update', made.json.id, `--${name}`, 'all', '--json')
    const allowed = await ask(made.json.key)
    const closed = await run('keys', 'update', made.json.id, `--${name}`, 'none', '--json')

    expect([made.json[name], opened.json[name], closed.json[name]]).toEqual([[], null, []])
    expect([refused.status, refused.text, allowed, await ask(made.json.key)]).toEqual([403, refusal, 200, 403])
  }
  const unclear = await run('keys', 'create', ...place, '--parts', '')
  expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining('all or none') })
})

test('an e-mail address is suppressed and released again; a missing entry cannot be removed', async () => {
  const contact = { ...examplePerson.contact_info!, email_address: 'ada@acme.example' }
  const service = await openTestService({ people: { 'ada-example': { ...ada, contact_info: contact } } })
  const run = remote(service)
  await service.person('ada-example', '&include_contact_info=true')
  const ask = async () => (await service.person('ada-example')).status

  const added = await run('suppressions', 'add', 'Ada@Acme.example', '--reason', 'objection', '--json')
  const out = await ask()
  const checked = await run('suppressions', 'check', 'ada@acme.example', 'ada-example', '--json')
  const removed = await run('suppressions', 'remove', 'ada@acme.example', '--yes', '--json')
  const back = await ask()
  const unknown = await run('suppressions', 'remove', 'ada@acme.example', '--yes')
  const wrong = await run('suppressions', 'add', 'ada@nowhere')

  expect(added.json.added).toBeGreaterThan(1)
  expect([out, back]).toEqual([404, 200])
  expect(checked.json).toEqual({ suppressed: ['ada@acme.example', 'ada-example'] })
  expect(removed.json.removed).toBe(added.json.added)
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was removed') })
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('not an e-mail address') })
})

test('a slow service still owns its folder: it is asked, and the store is not opened', async () => {
  const dir = folder()
  const server = createServer((request, response) => {
    // It never answers its health check.
    if (request.url !== '/healthz') response.end('{"projects":[]}')
  })
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  writeFileSync(join(dir, 'service.json'), JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid }))
  const env = { VITAE_DATA_DIR: dir, VITAE_ADMIN_TOKEN: 'some-token' }

  const listed = await vitae(['projects', 'list', '--json'], { env })

  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(dir)).toEqual(['service.json'])
})

test('the doctor names a provider that rejects our key and a wrong variable, and exits with 1', async () => {
  const service = await openTestService()
  const env = {
    VITAE_DATA_DIR: join(folder(), 'data'),
    VITAE_UPSTREAM: 'mirror',
    VITAE_MIRROR_URL: service.upstream.url,
    VITAE_MIRROR_KEY: 'wrong',
  }
  await vitae(['projects', 'create', 'acme'], { env })

  const rejected = await vitae(['doctor', '--json'], { env })
  const wrong = await vitae(['doctor', '--json'], { env: { ...env, VITAE_CACHE_MB: 'much' } })

  expect(rejected.code).toBe(1)
  const finding = rejected.json.checks.find(({ name }: { name: string }) => name === 'provider mirror')
  expect(finding).toMatchObject({ state: 'error', mend: expect.stringContaining('VITAE_MIRROR_KEY') })
  expect(wrong.code).toBe(1)
  expect(wrong.json.checks).toMatchObject([{ name: 'configuration', state: 'error' }])
  expect(wrong.json.checks[0].detail).toContain('VITAE_CACHE_MB')
})

test('a payload is mapped without key, store or service, and a failed mapping exits with 1 and a reason', async () => {
  const env = { VITAE_DATA_DIR: join(folder(), 'never-made') }
  const payload = JSON.stringify({
    id: 7,
    full_name: 'Ada Example',
    professional_network_url: 'https://www.linkedin.com/in/ada-example',
  })

  const mapped = await vitae(['providers', 'project', 'coresignal', 'person', '--json'], { env, input: payload })
  const unmapped = await vitae(['providers', 'project', 'coresignal', 'person'], { env, input: '[1' })
  const unknown = await vitae(['providers', 'project', 'nobody', 'person'], { env, input: '{}' })

  expect(mapped.json.public_identifier).toBe('ada-example')
  expect(unmapped).toMatchObject({ code: 1, stdout: '' })
  expect(unmapped.stderr).toContain('cannot be mapped')
  expect(unknown.code).toBe(2)
  expect(() => readFileSync(env.VITAE_DATA_DIR)).toThrow('ENOENT')
})

test('VITAE_URL of the service on the data folder needs no admin token; that of another one does', async () => {
  const [service, other] = [await openTestService(), await openTestService()]
  const data = folder()
  writeFileSync(join(data, 'service.json'), JSON.stringify({ url: service.url, pid: process.pid }))
  writeFileSync(join(data, 'admin-token'), service.service.admin.ownerToken)
  const list = (url: string) => vitae(['projects', 'list', '--json'], { env: { VITAE_DATA_DIR: data, VITAE_URL: url } })

  expect(await list(service.url.replace('127.0.0.1', 'localhost'))).toMatchObject({ code: 0 })
  expect(await list(other.url)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('VITAE_ADMIN_TOKEN is not set'),
  })
})

test("callers' own calls are read from the service on the data folder", async () => {
  const service = await openTestService()
  const [data, other] = [folder(), folder()]
  writeFileSync(join(data, 'service.json'), JSON.stringify({ url: service.url, pid: process.pid }))
  const { key } = await service.makeKey({ mode: 'test' })
  const args = ['own', 'usage', '--key', key, '--json']

  const found = await vitae(args, { env: { VITAE_DATA_DIR: data, VITAE_URL: '' } })
  const named = await vitae(args, { env: { VITAE_DATA_DIR: other, VITAE_URL: service.url } })

  expect([found.code, found.json.total]).toEqual([0, { calls: 4, credits: 3 }])
  expect(named.json.total).toEqual(found.json.total)
})

test('callers see the provider of each unit of a record', async () => {
  const service = await openTestService()
  const { key } = await service.makeKey({ mode: 'test' })
  const env = { VITAE_URL: service.url, VITAE_API_KEY: key }
  const args = ['own', 'provenance', 'sample-filled', '--kind', 'people']

  const [known, unclear] = await Promise.all([vitae([...args, '--json'], { env }), vitae(args.slice(0, 3), { env })])

  expect(known.json.units).toContainEqual(
    expect.objectContaining({ unit: 'contact_info.email_address', provider: 'peopledatalabs', filled: true }),
  )
  expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining('--kind') })
})

test('wrong use exits with 2, a failure with 1, help with 0', async () => {
  const env = { VITAE_URL: 'http://127.0.0.1:9', VITAE_ADMIN_TOKEN: 'x'.repeat(20) }

  const [wrong, both, unreachable, help] = await Promise.all([
    vitae(['records', 'nonsense'], { env }),
    vitae(['lookup', 'people', 'ada', '--email', 'ada@acme.example'], { env }),
    vitae(['keys', 'list'], { env }),
    vitae(['records', 'diff', '--help'], { env }),
  ])

  expect(wrong.code).toBe(2)
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('not both') })
  expect(unreachable).toMatchObject({ code: 1, stderr: expect.stringMatching(/No Vitae answers at .* check --url/) })
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Examples:') })
})

test('tokens, sessions, suppressions, providers and retention are changed from the command line', async () => {
  const service = await openTestService({ env: { VITAE_CALL_LOG_DAYS: '30' } })
  const run = remote(service)
  const feed = join(folder(), 'feed.txt')
  writeFileSync(feed, 'opted-out-person\n12345\nhttps://elsewhere.example/in/x\n')

  const made = await run('tokens', 'create', '--role', 'viewer', '--label', 'dashboard', '--json')
  const limited = await vitae(['providers', 'pause', 'mirror'], {
    env: { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: made.json.token },
  })
  const body = JSON.stringify({ token: made.json.token })
  await service.get('/admin/v1/session', { 'content-type': 'application/json' }, 'POST', body)
  const signedIn = await run('sessions', 'list', '--json')
  const ended = await run('sessions', 'end', '--person', `token:${made.json.id}`, '--yes', '--json')
  const revoked = await run('tokens', 'revoke', made.json.id, '--yes', '--json')
  const fed = await run('suppressions', 'import', feed, '--origin', 'coresignal', '--json')
  const paused = await run('providers', 'pause', 'mirror', '--reason', 'test', '--json')
  const out = await service.person('someone-new')
  const resumed = await run('providers', 'resume', 'mirror', '--json')
  const checked = await run('providers', 'check', 'mirror', '--json')
  const plan = await run('retention', 'plan', '--json')

  expect(limited).toMatchObject({ code: 1, stderr: expect.stringContaining('operator') })
  expect(signedIn.json).toMatchObject([{ actor: `token:${made.json.id}`, role: 'viewer', method: 'token' }])
  expect(ended.json).toEqual({ ended: [signedIn.json[0].id] })
  expect(revoked.json.revoked_at).not.toBeNull()
  expect(fed.json).toMatchObject({ lines: 3, bad_lines: 1 })
  expect(fed.stderr).toMatch(/^line 3: /)
  expect((await service.person('opted-out-person')).status).toBe(404)
  expect(paused.json.paused).toBe(true)
  expect(out.status).toBe(503)
  expect(resumed.json.paused).toBe(false)
  expect(checked).toMatchObject({ code: 0, json: { ok: true, verdict: 'answers' } })
  expect(plan.json.rules.call_log_days).toBe(30)
})

test('a reader that closes early, such as head, ends a command quietly', async () => {
  const line = `{ "${process.execPath}" "${program}" --help; echo "ended with $?" >&2; } | true`

  const { stderr } = await promisify(execFile)('sh', ['-c', line])

  expect(stderr).toBe('ended with 0\n')
})
