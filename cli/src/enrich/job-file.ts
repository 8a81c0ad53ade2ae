import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { CommandError } from '../command-error.ts'
import { lockOutput, type Unlock } from './output-lock.ts'

/** The progress of a job, stored beside the output, so that a repeated command resumes it. */
interface Mark {
  /** Part of the job's idempotency keys, so that a lookup paid for before a crash is not charged again. */
  job: string
  /** The batch that does the lookups, for a background job. */
  batch?: string
  /** A hash of the job's settings; a different command must not continue its output. */
  settings: string
  rows: number
  /** A hash of the header and the identifiers of those rows, so that a resume detects a changed input. */
  digest: string
  bytes: number
  credits: number
  counts: Record<string, number>
  /** Whether an existing file of the output's name may be replaced. */
  replaces: boolean
  /** All rows are written; only the rename remains. */
  whole: boolean
}

const newMark = { rows: 0, bytes: 0, credits: 0, whole: false, replaces: false }

const writeEveryMs = 250

/** Maximum number of buffered rows. */
export const unwrittenAtMost = 500

interface Options {
  /** The settings of the job. */
  settings: unknown
  /** The first line of the output. */
  header: string
  /** `--yes`: an existing file may be replaced, but never the input. */
  mayReplace: boolean
}

/**
 * The output of a job and its mark. Rows are appended to OUT.partial in input order; a resume cuts off an incomplete
 * row. Only a complete output is renamed to OUT, so an existing file stays unchanged until then.
 */
export class JobFile {
  readonly mark: Mark
  readonly resumed: boolean
  readonly partial: string
  readonly #target: string
  readonly #markPath: string
  readonly #output: number
  readonly #unlock: Unlock
  #pending = ''
  #pendingRows = 0
  #writtenAt = 0

  constructor(outPath: string, { settings, header, mayReplace }: Options) {
    this.#target = existsSync(outPath) ? realpathSync(outPath) : outPath
    this.partial = `${this.#target}.partial`
    this.#markPath = `${this.#target}.job`
    this.#unlock = lockOutput(this.#target)
    try {
      const opened = this.#begin(settings, header, mayReplace)
      this.mark = opened.mark
      this.resumed = opened.resumed
      this.#output = this.#open()
    } catch (error) {
      this.#unlock()
      throw error
    }
    if (this.mark.bytes === 0) this.append(header, 0)
  }

  /** Reads the mark to resume, or creates one; refuses the files of another job. */
  #begin(settings: unknown, header: string, mayReplace: boolean): { mark: Mark; resumed: boolean } {
    const hash = createHash('sha256').update(JSON.stringify(settings)).digest('hex')
    const present = readMark(this.#markPath)
    const going = present?.settings === hash ? present : null
    if (present && !going && !mayReplace) {
      throw new CommandError(
        `${this.partial} belongs to an unfinished job with other settings. Give the same command again to finish it, or --yes to start over.`,
      )
    }
    // If the process was killed after the last row, the output may already be renamed.
    if (going?.whole && !existsSync(this.partial) && existsSync(this.#target)) renameSync(this.#target, this.partial)
    const resumed = going !== null && existsSync(this.partial)
    const fresh = { job: randomUUID(), settings: hash, digest: this.nextDigest('', header), counts: {} }
    const left = resumed && going ? going : { ...newMark, ...fresh }
    const mark = { ...left, whole: false, replaces: left.replaces || mayReplace }
    this.#refuseToReplace(mark)
    if (resumed && statSync(this.partial).size < mark.bytes) {
      throw new CommandError(
        `${this.partial} is shorter than the job left it. Bring it back, or remove it to start over.`,
      )
    }
    return { mark, resumed }
  }

  #open(): number {
    try {
      const mode = existsSync(this.#target) ? statSync(this.#target).mode & 0o777 : 0o600
      const output = openSync(this.partial, this.resumed ? 'r+' : 'w', mode)
      ftruncateSync(output, this.mark.bytes)
      this.#save()
      return output
    } catch (error) {
      throw new CommandError(
        `${this.#target} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      )
    }
  }

  /** Another program may have created the output file since the job began. */
  #refuseToReplace({ replaces } = this.mark): void {
    if (replaces || !existsSync(this.#target) || statSync(this.#target).size === 0) return
    throw new CommandError(`${this.#target} exists already. Choose another --out, or give --yes to write over it.`)
  }

  /** Appends one row. `flush` or a short delay writes it to disk. */
  append(text: string, rows: number): void {
    this.#pending += text
    this.#pendingRows += rows
    this.mark.rows += rows
    if (this.#pendingRows >= unwrittenAtMost || Date.now() - this.#writtenAt >= writeEveryMs) this.flush()
  }

  rememberBatch(id: string): void {
    this.mark.batch = id
    this.#save()
  }

  /** Counts the result of the row that is appended next. */
  count(id: string, { status, credits }: { status: string; credits: number }): void {
    this.mark.digest = this.nextDigest(this.mark.digest, id)
    this.mark.credits += credits
    this.mark.counts[status] = (this.mark.counts[status] ?? 0) + 1
  }

  /** Adds a row to the digest of the rows before it. */
  nextDigest(before: string, id: string): string {
    return createHash('sha256').update(`${before}\n${id}`).digest('base64url')
  }

  /** Writes buffered rows first, then the mark that counts them, so that a crash in between only repeats rows. */
  flush(): void {
    const bytes = Buffer.from(this.#pending)
    this.#pending = ''
    this.#pendingRows = 0
    // A nearly full disk may accept only a part.
    for (let done = 0; done < bytes.length;)
      done += writeSync(this.#output, bytes, done, bytes.length - done, this.mark.bytes + done)
    this.mark.bytes += bytes.length
    fsyncSync(this.#output)
    this.#save()
    this.#writtenAt = Date.now()
  }

  /** Completes the job: renames the output and removes the mark. */
  finish(): void {
    this.flush()
    this.#refuseToReplace()
    this.mark.whole = true
    this.#save()
    closeSync(this.#output)
    renameSync(this.partial, this.#target)
    rmSync(this.#markPath, { force: true })
    this.#unlock()
  }

  /** Stops the job, so that it can be resumed. */
  leave(): void {
    this.flush()
    closeSync(this.#output)
    this.#unlock()
  }

  /** Removes a job that has not begun, so that a corrected command can start. */
  discard(): void {
    closeSync(this.#output)
    rmSync(this.partial, { force: true })
    rmSync(this.#markPath, { force: true })
    this.#unlock()
  }

  #save(): void {
    writeFileSync(`${this.#markPath}.new`, JSON.stringify(this.mark), { mode: 0o600, flush: true })
    renameSync(`${this.#markPath}.new`, this.#markPath)
  }
}

function readMark(path: string): Mark | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Mark) : null
}

/**
 * Refuses an output that is the input file, even by a link, another spelling or standard input. Call it before anything
 * is written.
 */
export function refuseInputAsOutput(input: string, out: string): void {
  const given = input === '-' ? fstatSync(0, { bigint: true }) : statOf(input)
  const written = existsSync(out) ? [out, realpathSync(out)] : [out]
  for (const path of written.flatMap((name) => [
    name,
    `${name}.partial`,
    `${name}.job`,
    `${name}.job.new`,
    `${name}.lock`,
  ])) {
    const there = statOf(path)
    if (!given || there?.dev !== given.dev || there.ino !== given.ino) continue
    const what = path === out ? `--out ${out} is the input itself` : `--out ${out} would write to ${path}, the input`
    throw new CommandError(`${what}. Choose another name: nothing was changed.`, { exitCode: 2 })
  }
  if (existsSync(out) && !statSync(out).isFile()) throw new CommandError(`--out ${out} is not a file.`, { exitCode: 2 })
}

/** Undefined if the file does not exist. Big integers, because an inode may exceed a double. */
function statOf(path: string) {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}
