import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'

const megabyte = 1_048_576

/** Runs a program of the system; it must succeed. */
export function run(command: string, ...args: string[]): void {
  const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` }
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', env })
  if (error || status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
}

/** A small file system of its own whose disk is a file, so that its disk of any moment can be copied. */
export class LoopDisk {
  readonly mounted: string
  readonly #folder: string
  readonly #image: string
  readonly #places = new Set<string>()

  /** Throws where no file system can be mounted. */
  constructor(megabytes = 64) {
    this.#folder = mkdtempSync(join(tmpdir(), 'vitae-disk-'))
    this.#image = join(this.#folder, 'disk.img')
    try {
      writeFileSync(this.#image, '')
      truncateSync(this.#image, megabytes * megabyte)
      run('mkfs.ext4', '-q', '-F', this.#image)
      this.mounted = this.#mount(this.#image, 'mounted')
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Why there can be no such disk on this machine; null when there can. */
  static obstacle(): string | null {
    try {
      new LoopDisk(8).close()
      return null
    } catch (error) {
      return `no file system can be mounted: ${String(error)}`
    }
  }

  /**
   * Copies the disk as it is now, as a power cut leaves it, and mounts the copy. A copy during which the disk was written
   * to would mix two moments, and is made again.
   */
  cut(name: string): string {
    const copy = join(this.#folder, `${name}.img`)
    for (let attempt = 0; attempt < 100; attempt++) {
      const before = this.#writes()
      run('cp', '--sparse=always', this.#image, copy)
      if (before.underWay === 0 && this.#writes().done === before.done) return this.#mount(copy, name)
    }
    throw new Error('the disk is never at rest')
  }

  /** Removes a copy. */
  remove(name: string): void {
    this.#unmount(join(this.#folder, name))
    rmSync(join(this.#folder, `${name}.img`), { force: true })
  }

  /** Unmounts and removes everything; whoever works on it must have ended. */
  close(): void {
    for (const place of this.#places) this.#unmount(place)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #mount(image: string, name: string): string {
    const place = join(this.#folder, name)
    mkdirSync(place, { recursive: true })
    run('mount', '-o', 'loop', image, place)
    this.#places.add(place)
    return place
  }

  #unmount(place: string): void {
    // The processes that make reports end a moment after a service that was killed; the disk is gone when they are.
    if (this.#places.delete(place)) run('umount', '--lazy', place)
  }

  /** How many writes the disk has finished, and how many requests it is busy with. */
  #writes(): { done: number; underWay: number } {
    const device = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === this.mounted)
    const figures = readFileSync(`/sys/block/${basename(device?.split(' ')[0] ?? '')}/stat`, 'utf8')
    const [done = 0, underWay = 0] = [4, 8].map((index) => Number(figures.trim().split(/\s+/)[index]))
    return { done, underWay }
  }
}

/** Makes such a disk for the length of the test; null where that cannot be, which is said loudly. */
export function makeLoopDisk(notRun: string): LoopDisk | null {
  try {
    const disk = new LoopDisk()
    onTestFinished(() => disk.close())
    return disk
  } catch (error) {
    console.warn(`NOT RUN: ${notRun}, because no file system can be mounted: ${String(error)}`)
    return null
  }
}
