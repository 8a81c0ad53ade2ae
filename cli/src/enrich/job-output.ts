import { createHash, randomUUID } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { CommandError } from '../command-error.ts'
import { lockOutput, type Unlock } from './output-lock.ts'

/** The batches of an unfinished job, kept beside the output, so that the same command finds them again. */
export interface Note {
  /** A hash of the questions and options; another command must not take over these batches. */
  asked: string
  /** The start of the Idempotency-Keys: a submission whose answer was lost is not made twice. */
  key: string
  batches: BatchNote[]
  /** Whether an existing file of the output's name may be replaced. */
  replaces: boolean
  /** All rows are written; only the rename remains. */
  whole: boolean
}

export interface BatchNote {
  rows: number
  /** Its id, once the service has answered. */
  id?: string
}

const writtenAtOnce = 65_536

/**
 * The output of a job. Rows go to OUT.partial, and only a complete output is renamed to OUT, so that an existing file
 * stays unchanged until then. The batches are in OUT.batch.
 */
export class JobOutput {
  readonly partial: string
  readonly notePath: string
  /** Null before the batches are known. */
  note: Note | null
  readonly #asked: string
  readonly #target: string
  readonly #mayReplace: boolean
  readonly #unlock: Unlock
  #file: number | null = null
  #pending = ''

  constructor(outPath: string, { asked, mayReplace }: { asked: unknown; mayReplace: boolean }) {
    this.#target = existsSync(outPath) ? realpathSync(outPath) : outPath
    this.partial = `${this.#target}.partial`
    this.notePath = `${this.#target}.batch`
    this.#asked = createHash('sha256').update(JSON.stringify(asked)).digest('base64url')
    this.#unlock = lockOutput(this.#target)
    try {
      refuseOlderJob(this.#target)
      const found = readNote(this.notePath)
      const isOther = found !== null && found.asked !== this.#asked
      if (isOther && !mayReplace)
        throw new CommandError(
          `${this.notePath} belongs to an unfinished job with other settings or another input. Run the same command again to finish it, or add --yes to start over; its batch continues in the service.`,
        )
      this.note = isOther ? null : found
      const isWhole = this.note?.whole === true && !existsSync(this.partial)
      this.#mayReplace = mayReplace || isWhole || this.note?.replaces === true
      this.#refuseToReplace()
    } catch (error) {
      this.#unlock()
      throw error
    }
  }

  /** Begins a new job with batches of this many rows. */
  begin(rows: readonly number[]): Note {
    const batches = rows.map((count) => ({ rows: count }))
    this.note = { asked: this.#asked, key: randomUUID(), batches, replaces: this.#mayReplace, whole: false }
    this.save()
    return this.note
  }

  save(): void {
    writeFileSync(`${this.notePath}.new`, JSON.stringify(this.note), { mode: 0o600, flush: true })
    renameSync(`${this.notePath}.new`, this.notePath)
  }

  /** Appends to the output. */
  append(text: string): void {
    this.#pending += text
    if (this.#pending.length >= writtenAtOnce) this.#flush()
  }

  /** Completes the job. */
  finish(): void {
    this.#refuseToReplace()
    this.#file ??= this.#open()
    this.#flush()
    fsyncSync(this.#file)
    if (this.note) {
      this.note.whole = true
      this.save()
    }
    renameSync(this.partial, this.#target)
    rmSync(this.notePath, { force: true })
  }

  /** Ends the use of the output; an unfinished job keeps its note. */
  close(): void {
    this.#flush()
    if (this.#file !== null) closeSync(this.#file)
    this.#unlock()
  }

  #flush(): void {
    if (this.#pending === '') return
    this.#file ??= this.#open()
    appendFileSync(this.#file, this.#pending)
    this.#pending = ''
  }

  #open(): number {
    try {
      rmSync(this.partial, { force: true })
      return openSync(this.partial, 'a', existsSync(this.#target) ? statSync(this.#target).mode & 0o777 : 0o600)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new CommandError(`${this.#target} cannot be written: ${reason}`, { cause: error })
    }
  }

  /** Another program may have created the output file since the job began. */
  #refuseToReplace(): void {
    if (this.#mayReplace || !existsSync(this.#target) || statSync(this.#target).size === 0) return
    throw new CommandError(`${this.#target} already exists. Choose another --out, or add --yes to overwrite it.`)
  }
}

function readNote(path: string): Note | null {
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Note
  } catch (error) {
    const detail = `${path} is damaged, so its batches cannot be found. Look them up in the console or with GET /v1/batches, then remove the file to start over.`
    throw new CommandError(detail, { cause: error })
  }
}

/** Releases before rc.2 kept the paid rows of an unfinished job in OUT.job. A new job would pay for them again. */
function refuseOlderJob(target: string): void {
  if (!existsSync(`${target}.job`)) return
  throw new CommandError(
    `${target}.job belongs to an unfinished job of an older version. Finish it with that version, or remove the file to start over; its rows are then paid again.`,
  )
}

/**
 * Refuses an output that is the input file, even by a link, another spelling or standard input. Call it before anything
 * is written.
 */
export function refuseInputAsOutput(input: string, out: string): void {
  const given = input === '-' ? fstatSync(0, { bigint: true }) : statOf(input)
  const written = existsSync(out) ? [out, realpathSync(out)] : [out]
  const beside = ['', '.partial', '.batch', '.batch.new', '.lock']
  for (const path of written.flatMap((name) => beside.map((end) => `${name}${end}`))) {
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
