import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Runs a program of the system; it must succeed. */
export function run(command: string, ...args: string[]): void {
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

/** A small file system of its own whose disk is a file, so that its disk of any moment can be copied. */
export interface LoopDisk {
  mounted: string
  /** Copies the disk as it is now, as a power cut leaves it, and mounts the copy. */
  cut(name: string): string
}

/** Makes such a disk for the length of the test; null where that cannot be, which is said loudly. */
export function makeLoopDisk(notRun: string): LoopDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const image = join(folder, 'disk.img')
  try {
    writeFileSync(image, '')
    truncateSync(image, 64 * 1_048_576)
    run('mkfs.ext4', '-q', '-F', image)
    const mounted = mount(image, join(folder, 'mounted'))
    const cut = (name: string) => {
      const copy = join(folder, `${name}.img`)
      copyFileSync(image, copy)
      return mount(copy, join(folder, name))
    }
    return { mounted, cut }
  } catch (error) {
    console.warn(`NOT RUN: ${notRun}, because no file system can be mounted: ${String(error)}`)
    return null
  }
}
