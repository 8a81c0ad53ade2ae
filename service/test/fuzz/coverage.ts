import { Session } from 'node:inspector/promises'

/** The code that an input ran in some files, counted by V8. */
export class Coverage {
  readonly #session = new Session()
  readonly #files: readonly string[]
  readonly #seen = new Set<string>()

  constructor(files: readonly string[]) {
    this.#files = files
  }

  async start(): Promise<void> {
    this.#session.connect()
    await this.#session.post('Profiler.enable')
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /**
   * The number of code parts that have run more often than ever since the last question: once, a few times, many times.
   */
  async newParts(): Promise<number> {
    const before = this.#seen.size
    const { result } = await this.#session.post('Profiler.takePreciseCoverage')
    for (const { url, functions } of result.filter((script) => this.#files.some((file) => script.url.endsWith(file))))
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges)
          if (count > 0)
            this.#seen.add(`${url} ${startOffset} ${endOffset} ${Math.min(8, Math.floor(Math.log2(count)))}`)
    return this.#seen.size - before
  }

  get parts(): number {
    return this.#seen.size
  }
}
