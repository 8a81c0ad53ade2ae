import { parseNetwork } from '../foundation/networks.ts'
import { parseDuration, parseRate, type Rate } from '../foundation/rate.ts'

/** All wrong values of a start, one line each: variable, what it got, what it wants. */
export class ConfigError extends Error {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.name = 'ConfigError'
    this.lines = lines
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads variables of one environment and collects every complaint, so that an operator fixes them all at once. */
export class EnvironmentReader {
  readonly complaints: string[] = []
  readonly #env: Environment

  constructor(env: Environment) {
    this.#env = env
  }

  /** The text of a variable; blank counts as unset. */
  text(name: string): string | null {
    const value = this.#env[name]?.trim()
    return value ? value : null
  }

  /** A variable that may be left out; `parse` gives null for what it does not accept. */
  optional<T>(name: string, wants: string, parse: (text: string) => T | null, secret = false): T | null {
    const text = this.text(name)
    if (text === null) return null
    const value = parse(text)
    if (value === null) this.complaints.push(`${name} is ${secret ? 'set' : JSON.stringify(text)}, but wants ${wants}`)
    return value
  }

  integer(name: string, fallback: number, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): number {
    return this.optionalInteger(name, { min, max }) ?? fallback
  }

  optionalInteger(name: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): number | null {
    return this.optional(name, `a whole number from ${min} to ${max}`, (text) => within(text, /^\d{1,16}$/, min, max))
  }

  decimal(name: string, fallback: number): number {
    return this.optionalDecimal(name) ?? fallback
  }

  optionalDecimal(name: string): number | null {
    return this.optional(name, 'a number of days such as 7 or 0.5', (text) =>
      within(text, /^\d{1,9}(\.\d{1,9})?$/, 0, 1e9),
    )
  }

  flag(name: string, fallback: boolean): boolean {
    return this.optional(name, 'true or false', (text) => ({ true: true, false: false })[text] ?? null) ?? fallback
  }

  rate(name: string, fallback: Rate): Rate {
    return this.optional(name, 'a rate such as 300/60s', parseRate) ?? fallback
  }

  duration(name: string): number | null {
    return this.optional(name, 'a duration such as 90s, 15m, 6h or 1d', parseDuration)
  }

  /** Addresses and networks, separated by commas. */
  networks(name: string): string[] | null {
    return this.optional(name, 'addresses or networks of your proxies, such as 10.0.0.0/8', (text) => {
      const networks = text.split(',').map((part) => part.trim())
      return networks.every((network) => parseNetwork(network) !== null) ? networks : null
    })
  }

  url(name: string, protocols: readonly string[]): string | null {
    return this.optional(
      name,
      `a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
      (text) => {
        if (!URL.canParse(text)) return null
        return protocols.includes(new URL(text).protocol) ? text.replace(/\/+$/, '') : null
      },
      name === 'DATABASE_URL' || name === 'REDIS_URL',
    )
  }

  oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const choose = (text: string) => choices.find((choice) => choice === text) ?? null
    return this.optional(name, `one of ${choices.join(', ')}`, choose) ?? fallback
  }

  list(name: string, fallback: readonly string[]): readonly string[] {
    const text = this.text(name)
    if (text === null) return fallback
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  }
}

function within(text: string, form: RegExp, min: number, max: number): number | null {
  const value = Number(text)
  return form.test(text) && value >= min && value <= max ? value : null
}
