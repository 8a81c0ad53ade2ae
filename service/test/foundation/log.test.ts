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
