import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestService } from '../harness/test-service.ts'

/** A small separate disk, or null if this user may not mount one. */
function smallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', folder]).status === 0
  if (!mounted) rmSync(folder, { recursive: true, force: true })
  return mounted ? folder : null
}

function removeDisk(folder: string): void {
  spawnSync('umount', ['-l', folder])
  rmSync(folder, { recursive: true, force: true })
}

/** Writes until the disk is full. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (const size of [1_048_576, 4_096]) writeUntilFull(file, Buffer.alloc(size))
  } finally {
    closeSync(file)
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    let written = bytes.length
    while (written === bytes.length) written = writeSync(file, bytes)
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' })
  }
}

const trial = smallDisk()
if (trial) removeDisk(trial)
else console.warn('NOT RUN: a full disk, because this user may not mount a small one.')

test.skipIf(!trial)(
  'a full disk makes the service not ready before a call fails, is reported, and ends when there is room again',
  async () => {
    const disk = smallDisk() ?? ''
    onTestFinished(() => removeDisk(disk))
    const data = join(disk, 'data')
    mkdirSync(data)
    const lines: Record<string, unknown>[] = []
    const service = await openTestService({ env: { VITAE_DATA_DIR: data }, onLogLine: (line) => lines.push(line) })
    expect((await service.person('stored-example')).status).toBe(200)
    expect(await service.get('/readyz')).toMatchObject({ status: 200, json: { checks: { disk: 'ok' } } })

    fill(join(disk, 'filler'))

    expect(await service.get('/readyz')).toMatchObject({ status: 503, json: { checks: { disk: 'full' } } })
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 50, msg: expect.stringContaining('disk of the store') }),
    )
    expect((await service.get('/metrics')).text).toMatch(/^vitae_disk_free_bytes 0$/m)
    expect((await service.get('/healthz')).status).toBe(200)

    rmSync(join(disk, 'filler'))

    expect(await service.get('/readyz')).toMatchObject({ status: 200, json: { checks: { disk: 'ok' } } })
    expect((await service.person('stored-example')).status).toBe(200)
  },
)
