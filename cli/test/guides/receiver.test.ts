import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestService } from '../../../service/test/harness/test-service.ts'
import { readBlocks, root } from './guide-text.ts'

const source = readBlocks('docs/guides/events.md').find(({ text }) => text.includes('verifyWebhook'))?.text ?? ''

/** The guide's receiver as a separate process. */
async function startReceiver(secret: string) {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-receiver-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'receiver.ts'), source)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const env = { PATH: process.env['PATH'] ?? '', WEBHOOK_SECRET: secret, PORT: '0' }
  const child = spawn(process.execPath, ['receiver.ts'], { cwd: folder, env })
  onTestFinished(() => {
    child.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  let output = ''
  let heard = () => {}
  child.stdout.on('data', (text: Buffer) => {
    output += text.toString()
    heard()
  })
  child.stderr.on('data', (text: Buffer) => (output += text.toString()))
  const ended = new Promise<never>((_, reject) =>
    child.once('close', (code) => reject(new Error(`the receiver ended with ${code}: ${output}`))),
  )
  // The test ends it, when nobody waits any more.
  ended.catch(() => {})
  const said = async (words: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = words.exec(output)
      if (match) return match
      await Promise.race([new Promise<void>((resolve) => (heard = resolve)), ended])
    }
  }
  const [, port] = await said(/port: (\d+)/)
  return { url: `http://127.0.0.1:${port}/`, said, text: () => output }
}

test("the receiver of the guide has 20 lines, accepts Vitae's events once, and refuses others", async () => {
  expect(
    source
      .trim()
      .split('\n')
      .filter((line) => line.trim() !== '').length,
  ).toBeLessThanOrEqual(20)
  const service = await openTestService({ realClock: true, env: { VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  const wish = { project: 'acme', url: 'http://127.0.0.1:9/', events: ['person.changed'] }
  const made = await service.admin<{ id: string; secret: string }>('POST', '/webhooks', wish)
  const receiver = await startReceiver(made.secret)
  await service.admin('PATCH', `/webhooks/${made.id}`, { url: receiver.url })

  const delivery = await service.admin('POST', `/webhooks/${made.id}/test`)
  const forged = await fetch(receiver.url, { method: 'POST', body: '{"id":"evt_forged","type":"forged"}' })

  expect(delivery).toMatchObject({ outcome: 'delivered', status: 204 })
  await receiver.said(/^webhook\.test \{"message"/m)
  expect(forged.status).toBe(400)
  expect(receiver.text()).not.toContain('forged')
})
