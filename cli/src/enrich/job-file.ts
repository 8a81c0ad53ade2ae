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
  /** Of the identifiers of those rows, in their order: a resume must not go on with another input. */
  digest: string
  bytes: number
  credits: number
  counts: Record<string, number>
}

const writeEveryMs = 250

/** So many rows at most wait to be written. */
export const unwrittenAtMost = 500

/** The output of a job and its mark. Rows are appended in the order of the input; a torn row is cut off on resume. */
export class JobFile {
  readonly mark: Mark
  readonly resumed: boolean
  readonly #markPath: string
  readonly #output: number
  readonly #outPath: string
  #pending = ''
  #pendingRows = 0
  #writtenAt = 0

  constructor(outPath: string, settings: unknown, mayOverwrite: boolean) {
    this.#outPath = outPath
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
        : { job: randomUUID(), settings: hash, rows: 0, digest: '', bytes: 0, credits: 0, counts: {} }
    if (this.resumed && statSync(outPath).size < this.mark.bytes) {
      throw new CommandError(`${outPath} is shorter than the job left it. Bring it back, or remove it to start over.`)
    }
    this.#output = openSync(outPath, this.resumed ? 'r+' : 'w', 0o600)
    ftruncateSync(this.#output, this.mark.bytes)
    this.#save()
  }

  /** Appends one row. It is on disk within a moment, or when `flush` is called. */
  append(text: string, rows: number): void {
    this.#pending += text
    this.#pendingRows += rows
    this.mark.rows += rows
    if (this.#pendingRows >= unwrittenAtMost || Date.now() - this.#writtenAt >= writeEveryMs) this.flush()
  }

  /** Counts what became of a row that is appended next. */
  count(id: string, { status, credits }: { status: string; credits: number }): void {
    this.mark.digest = this.nextDigest(this.mark.digest, id)
    this.mark.credits += credits
    this.mark.counts[status] = (this.mark.counts[status] ?? 0) + 1
  }

  /** The digest of the rows up to one, given that of the rows before it. */
  nextDigest(before: string, id: string): string {
    return createHash('sha256').update(`${before}\n${id}`).digest('base64url')
  }

  /** Writes what waits: first the rows, then the mark that counts them, so that a crash in between only repeats rows. */
  flush(): void {
    const bytes = Buffer.from(this.#pending)
    this.#pending = ''
    this.#pendingRows = 0
    // A disk that is nearly full may take a part only.
    for (let done = 0; done < bytes.length;)
      done += writeSync(this.#output, bytes, done, bytes.length - done, this.mark.bytes + done)
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

  /** Takes back a job of which nothing was begun, so that a corrected command can start. */
  discard(): void {
    closeSync(this.#output)
    rmSync(this.#outPath, { force: true })
    rmSync(this.#markPath, { force: true })
  }

  #save(): void {
    writeFileSync(`${this.#markPath}.new`, JSON.stringify(this.mark), { mode: 0o600, flush: true })
    renameSync(`${this.#markPath}.new`, this.#markPath)
  }
}

function readMark(path: string): Mark | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Mark) : null
}
