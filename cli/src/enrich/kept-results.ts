import { closeSync, readSync, writeSync } from 'node:fs'
import type { Looked } from './looked.ts'
import { openUnnamedFile } from './unnamed-file.ts'

/** The results that later rows need again, in a file: a large input may repeat more records than memory holds. */
export class KeptResults {
  readonly #file = openUnnamedFile()
  readonly #places = new Map<number, { at: number; length: number }>()
  #size = 0

  keep(place: number, looked: Looked): void {
    const bytes = Buffer.from(JSON.stringify(looked))
    for (let done = 0; done < bytes.length;)
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#size + done)
    this.#places.set(place, { at: this.#size, length: bytes.length })
    this.#size += bytes.length
  }

  read(place: number): Looked | null {
    const found = this.#places.get(place)
    if (!found) return null
    const bytes = Buffer.alloc(found.length)
    readSync(this.#file, bytes, 0, found.length, found.at)
    return JSON.parse(bytes.toString()) as Looked
  }

  close(): void {
    closeSync(this.#file)
  }
}
