import { existsSync } from 'node:fs'
import { copyFile, open, readFile, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { renameDurably, syncFolder } from '../../foundation/durable-file.ts'
import type { Suppression } from '../../records/suppression/suppressions.ts'
import { isoTime } from '../../foundation/clock.ts'

/** The name of the list in a data folder and in the folder of scheduled backups. */
export const suppressionFileName = 'suppressions.ndjson'

/** The list beside a manual backup. */
export function suppressionsBeside(backup: string): string {
  return `${backup}.${suppressionFileName}`
}

/** The contents of a list: the suppressed names, and the secret that made the hashes. */
export interface SuppressionList {
  /** Null if the list does not state it, as in an export. */
  proof: string | null
  items: Map<string, Suppression>
}

type Line =
  | { secret_proof: string }
  | { hash: string; removed_at: string }
  | {
      hash: string
      kind: Suppression['kind']
      origin: string
      reason: null
      created_at: string
      subject?: string | null
    }

/**
 * The suppression list as a file beside the database, so that a restored older backup learns of later erasures. It is
 * append-only, contains only keyed hashes, and is on the disk before an erasure is confirmed.
 */
export class SuppressionFile {
  readonly #path: string
  readonly #proof: string
  readonly #copy: (path: string) => Promise<void>
  #queue: Promise<unknown> = Promise.resolve()

  /** `copy` is called after each change, to copy the file to where it survives the data folder. */
  constructor(options: { path: string; proof: string; copy: (path: string) => Promise<void> }) {
    this.#path = options.path
    this.#proof = options.proof
    this.#copy = options.copy
  }

  add(items: readonly Omit<Suppression, 'reason'>[]): Promise<void> {
    // Without the reason: an operator may have named someone there.
    return this.#append(
      items.map(({ hash, kind, origin, createdAt, subject = null }) => ({
        hash,
        kind,
        origin,
        reason: null,
        created_at: isoTime(createdAt),
        ...(subject === null ? {} : { subject }),
      })),
    )
  }

  remove(hashes: readonly string[], at: number): Promise<void> {
    return this.#append(hashes.map((hash) => ({ hash, removed_at: isoTime(at) })))
  }

  #append(lines: Line[]): Promise<void> {
    return lines.length === 0 ? Promise.resolve() : this.#inTurn(() => this.#write(lines))
  }

  /** Copies the file as after a change. */
  copy(): Promise<void> {
    return this.#inTurn(async () => {
      if (existsSync(this.#path)) await this.#copy(this.#path)
    })
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(step)
    this.#queue = done.catch(() => undefined)
    return done
  }

  async #write(lines: Line[]): Promise<void> {
    const file = await open(this.#path, 'a+', 0o600)
    try {
      const { size } = await file.stat()
      const head: Line[] = size === 0 ? [{ secret_proof: this.#proof }] : []
      const text = [...head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
      await file.write(`${(await endsMidLine(file, size)) ? '\n' : ''}${text}`)
      await file.sync()
      if (size === 0) syncFolder(dirname(this.#path))
    } finally {
      await file.close()
    }
    await this.#copy(this.#path)
  }
}

/** After a power cut the last line may be incomplete; the next one must not be appended to it. */
async function endsMidLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== 0x0a
}

/** Replaces a file by a copy atomically: no reader and no power cut sees half of it. */
export async function replaceFile(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.part`)
  await renameDurably(`${to}.part`, to)
}

/** Reads a list that a service kept or that `vitae suppressions export` wrote. Null if there is no file. */
export async function readSuppressionFile(path: string): Promise<SuppressionList | null> {
  if (!existsSync(path)) return null
  const list: SuppressionList = { proof: null, items: new Map() }
  for (const text of (await readFile(path, 'utf8')).split('\n')) {
    const line = readLine(text)
    if (!line) continue
    if ('secret_proof' in line) list.proof = line.secret_proof
    else if ('removed_at' in line) list.items.delete(line.hash)
    else addLine(list.items, line)
  }
  return list
}

/** A second line about the same name adds nothing but its subject. */
function addLine(items: Map<string, Suppression>, line: Extract<Line, { created_at: string }>): void {
  const { hash, kind, origin, subject = null } = line
  const known = items.get(hash)
  if (!known) items.set(hash, { hash, kind, origin, reason: null, createdAt: Date.parse(line.created_at), subject })
  else if (subject !== null) {
    const before = known.subject ?? null
    known.subject = subject
    if (before === null || before === subject) return
    for (const item of items.values()) if (item.subject === before) item.subject = subject
  }
}

/** A line that a power cut left incomplete was never confirmed. */
function readLine(text: string): Line | null {
  if (!text.endsWith('}')) return null
  try {
    return JSON.parse(text) as Line
  } catch {
    return null
  }
}
