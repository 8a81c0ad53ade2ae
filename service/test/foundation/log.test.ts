import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('on a terminal one call is one line', () => {
  const log = new URL('../../src/foundation/log.ts', import.meta.url).href
  const program = `
    import { createLog } from '${log}'
    const facts = { requestId: 'r1', keyId: 'key_1', status: 503, provider: 'mirror', cause: 'connection refused' }
    const log = createLog('info', true)
    log.warn(facts, 'call')
    log.info({ ...facts, status: 200 }, 'call')`

  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })

  expect(stderr).toBe('')
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain('WARN')
  for (const fact of ['call', 'r1', 'key_1', '503', 'mirror', 'connection refused']) expect(lines[0]).toContain(fact)
})

test('of an error the message, causes, code and stack are logged, not the row or the connection that a driver adds, or a text that is no JSON', () => {
  const log = new URL('../../src/foundation/log.ts', import.meta.url).href
  const program = `
    import { createLog } from '${log}'
    const driver = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (slug)=(ada)', client: { secretKey: 4711 } })
    createLog('info', false).warn({ err: new Error('could not save', { cause: driver }) }, 'first')
    createLog('info', false).warn({ err: driver }, 'second')
    createLog('info', false).warn({ err: Object.assign(new Error('odd'), { stack: 7 }) }, 'odd')
    try {
      JSON.parse('lovelace counts')
    } catch (error) {
      createLog('info', false).warn({ err: error }, 'third')
    }`

  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })

  expect(stderr).toBe('')
  const [first, second, odd, third] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { err: object })
  const stack = expect.stringContaining('duplicate key')
  expect(first).toMatchObject({ err: { type: 'Error', message: 'could not save: duplicate key', stack } })
  expect(second?.err).toEqual({ type: 'Error', message: 'duplicate key', code: '23505', stack })
  expect(odd).toMatchObject({ err: { message: 'odd', stack: '7' } })
  expect(third).toMatchObject({ err: { type: 'SyntaxError', message: expect.stringContaining('is not valid JSON') } })
  expect(stdout).not.toMatch(/ada|lovelace|4711/)
})

test('an error full of quotes is logged in no time', () => {
  const log = new URL('../../src/foundation/log.ts', import.meta.url).href
  const program = `
    import { createLog } from '${log}'
    createLog('info', false).warn({ err: new Error('"'.repeat(1_000_000)) }, 'quotes')`

  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 100_000_000,
  })

  expect(stdout).toContain('"msg":"quotes"')
})
