import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'

const megabyte = 1_048_576

/** Runs a system program that must succeed. */
export function run(command: string, ...args: string[]): void {
  const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` }
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', env })
  if (error || status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
}

/** A small file system whose disk is a file, so that its state at any moment can be copied. */
export class LoopDisk {
  readonly mounted: string
  readonly #folder: string
  readonly #image: string
  readonly #places = new Set<string>()

  /** Throws if no file system can be mounted. */
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

  /** The reason why this machine cannot have such a disk, or null. */
  static obstacle(): string | null {
    try {
      new LoopDisk(8).close()
      return null
    } catch (error) {
      return `no file system can be mounted: ${String(error)}`
    }
  }

  /**
   * Copies the disk as a power cut would leave it, and mounts the copy. If the disk was written meanwhile, the copy
   * would mix two moments, so it is repeated.
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

  /** Unmounts and removes everything. All users of the disk must have ended. */
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
    // Report processes end a moment after a killed service, and the disk is released with them.
    if (this.#places.delete(place)) run('umount', '--lazy', place)
  }

  /** The number of finished writes of the disk, and of requests in progress. */
  #writes(): { done: number; underWay: number } {
    const device = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === this.mounted)
    const figures = readFileSync(`/sys/block/${basename(device?.split(' ')[0] ?? '')}/stat`, 'utf8')
    const [done = 0, underWay = 0] = [4, 8].map((index) => Number(figures.trim().split(/\s+/)[index]))
    return { done, underWay }
  }
}

/** Creates such a disk for the duration of the test; null with a clear message if that is impossible. */
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
