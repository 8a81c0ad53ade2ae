import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { placesOf } from '../harness/search-bytes.ts'
import { openWatchedService } from '../harness/watched-service.ts'

function run(command: string, ...args: string[]): void {
  const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` }
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', env })
  if (error || status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
}

/** Mounts a file with an ext4 file system for the length of the test. */
function mount(image: string, place: string): string {
  mkdirSync(place)
  run('mount', '-o', 'loop', image, place)
  onTestFinished(() => run('umount', place))
  return place
}

/** A small file system of its own whose disk is a file, so that its disk of any moment can be copied; null where that cannot be. */
function makeDisk(): { folder: string; mounted: string; image: string } | null {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const image = join(folder, 'disk.img')
  try {
    writeFileSync(image, '')
    truncateSync(image, 64 * 1_048_576)
    run('mkfs.ext4', '-q', '-F', image)
    return { folder, image, mounted: mount(image, join(folder, 'mounted')) }
  } catch (error) {
    console.warn(
      `NOT RUN: what a power cut leaves of an erasure, because no file system can be mounted: ${String(error)}`,
    )
    return null
  }
}

test('what a power cut right after the answer leaves on the disk holds no byte of the erased person', async ({
  skip,
}) => {
  const disk = makeDisk()
  if (!disk) return skip('no file system can be mounted here')
  const service = await openWatchedService({ VITAE_DATA_DIR: join(disk.mounted, 'data'), LOG_LEVEL: 'info' })
  const { key } = await service.makeKey()
  const slug = 'quillon-vexworth'
  const lookUp = () => fetch(`${service.url}/v1/people/profile?profile_id=${slug}`, { headers: { ApiKey: key } })
  expect((await lookUp()).status).toBe(200)
  run('sync', '-f', disk.mounted)
  expect(placesOf(slug, join(disk.mounted, 'data'))).not.toEqual([])

  await service.admin('POST', `/records/people/${slug}/erase`, { reason: 'asked for' })
  const copy = join(disk.folder, 'after-the-cut.img')
  copyFileSync(disk.image, copy)

  const left = mount(copy, join(disk.folder, 'left'))
  expect(placesOf(slug, join(left, 'data'))).toEqual([])
  expect((await lookUp()).status).toBe(404)
  await service.close()
}, 120_000)
