import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { CommandError } from '../command-error.ts'

/** How far a job has come. Kept beside the output, so that the same command given again goes on where it stopped. */
interface Mark {
  /** Makes the idempotency keys of this job its own: a lookup that was paid for before a crash is not paid for again. */
  job: string
  /** What the job was asked to do; another command must not go on with its output. */
  settings: string
  rows: number
  bytes: number
  credits: number
  counts: Record<string, number>
}

const writeEveryMs = 250

/** The output of a job and its mark. Rows are appended in the order of the input; a torn row is cut off on resume. */
export class JobFile {
  readonly mark: Mark
  readonly resumed: boolean
  readonly #markPath: string
  readonly #output: number
  #pending = ''
  #writtenAt = 0

  constructor(outPath: string, settings: unknown, mayOverwrite: boolean) {
    this.#markPath = `${outPath}.job`
    const hash = createHash('sha256').update(JSON.stringify(settings)).digest('hex')
    const present = readMark(this.#markPath)
    if (present && present.settings !== hash && !mayOverwrite) {
      throw new CommandError(
        `${outPath} belongs to an unfinished job with other settings. Give the same command again to finish it, or --yes to start over.`,
      )
    }
    this.resumed = present !== null && present.settings === hash && existsSync(outPath)
    if (!this.resumed && existsSync(outPath) && statSync(outPath).size > 0 && !present && !mayOverwrite) {
      throw new CommandError(`${outPath} exists already. Choose another --out, or give --yes to write over it.`)
    }
    this.mark =
      this.resumed && present
        ? present
        : { job: randomUUID(), settings: hash, rows: 0, bytes: 0, credits: 0, counts: {} }
    this.#output = openSync(outPath, this.resumed ? 'r+' : 'w', 0o600)
    ftruncateSync(this.#output, this.mark.bytes)
    this.#save()
  }

  /** Appends one row. It is on disk within a moment, or when `flush` is called. */
  append(text: string, rows: number): void {
    this.#pending += text
    this.mark.rows += rows
    if (Date.now() - this.#writtenAt >= writeEveryMs) this.flush()
  }

  /** Writes what waits: first the rows, then the mark that counts them, so that a crash in between only repeats rows. */
  flush(): void {
    const bytes = Buffer.from(this.#pending)
    this.#pending = ''
    if (bytes.length > 0) writeSync(this.#output, bytes, 0, bytes.length, this.mark.bytes)
    this.mark.bytes += bytes.length
    fsyncSync(this.#output)
    this.#save()
    this.#writtenAt = Date.now()
  }

  /** Ends the job: the output is whole and the mark is not needed any more. */
  finish(): void {
    this.flush()
    closeSync(this.#output)
    rmSync(this.#markPath, { force: true })
  }

  /** Leaves the job for later. */
  leave(): void {
    this.flush()
    closeSync(this.#output)
  }

  #save(): void {
    writeFileSync(`${this.#markPath}.new`, JSON.stringify(this.mark), { mode: 0o600, flush: true })
    renameSync(`${this.#markPath}.new`, this.#markPath)
  }
}

function readMark(path: string): Mark | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Mark) : null
}
