import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../service/test/harness/test-service.ts'
import { findPython, pythonEnv } from './python.ts'

const python = findPython('httpx', 'pandas')
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
const blocks = [...readme.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code = '']) => code)

let service: TestService
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  service = await startTestService({ realClock: true })
  await service.service.batchRunner.start()
  const { key } = await service.newCaller(0, { mode: 'test' })
  env = { ...pythonEnv, VITAE_URL: service.url, VITAE_API_KEY: key }
})
afterAll(() => service.close())

test.skipIf(python === null).each(blocks.map((code, index) => [index + 1, code] as const))(
  'example %i of the README runs with a test key',
  async (_index, code) => {
    const child = spawn(python ?? '', ['-c', code], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => (text += part))
    const [status] = (await once(child, 'close')) as [number]

    expect({ status, text }).toMatchObject({ status: 0 })
    expect(text).not.toBe('')
  },
)
