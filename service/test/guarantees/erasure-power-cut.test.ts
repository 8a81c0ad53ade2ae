import { join } from 'node:path'
import { expect, test } from 'vitest'
import { placesOf } from '../harness/search-bytes.ts'
import { openWatchedService } from '../harness/watched-service.ts'
import { makeLoopDisk, run } from './loop-disk.ts'

test('after a power cut right after the answer, the disk contains no byte of the erased person', async ({ skip }) => {
  const disk = makeLoopDisk('what a power cut leaves of an erasure')
  if (!disk) return skip('no file system can be mounted here')
  const service = await openWatchedService({ VITAE_DATA_DIR: join(disk.mounted, 'data'), LOG_LEVEL: 'info' })
  const { key } = await service.makeKey()
  const slug = 'quillon-vexworth'
  const lookUp = () => fetch(`${service.url}/v1/people/profile?profile_id=${slug}`, { headers: { ApiKey: key } })
  expect((await lookUp()).status).toBe(200)
  run('sync', '-f', disk.mounted)
  expect(placesOf(slug, join(disk.mounted, 'data'))).not.toEqual([])

  await service.admin('POST', `/records/people/${slug}/erase`, { reason: 'asked for' })

  const left = disk.cut('left')
  expect(placesOf(slug, join(left, 'data'))).toEqual([])
  expect((await lookUp()).status).toBe(404)
  await service.close()
})
