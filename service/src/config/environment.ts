import { parseNetwork } from '../foundation/networks.ts'
import { formatRate, parseDuration, parseRate, type Rate } from '../foundation/rate.ts'
import { SettingValues, withoutPassword, type Environment, type EnvFile, type Variable } from './setting-values.ts'

/** Reads variables of one environment and collects every complaint, so that an operator can fix them all at once. */
export class EnvironmentReader {
  readonly complaints: string[] = []
  readonly #values: SettingValues
  readonly #env: Environment

  constructor(env: Environment, envFile: EnvFile | null = null) {
    this.#env = env
    this.#values = new SettingValues(env, envFile, (line) => this.complaints.push(line))
  }

  /** The names of all settings: reading a setting is what makes it known. A secret has a second name. */
  names(): string[] {
    return [...this.#values.found.values()].flatMap(({ name, isSecret }) =>
      isSecret ? [name, `${name}_FILE`] : [name],
    )
  }

  /** Whether a variable with this prefix is set. */
  hasPrefix(prefix: string): boolean {
    return Object.keys(this.#env).some((name) => name.startsWith(prefix))
  }

  /** Every setting as operators may see it, in the order of reading. */
  variables(): Variable[] {
    return Array.from(this.#values.found.values(), ({ name, isSecret, text, fallback, source }) => {
      const shown = isSecret ? '(set)' : withoutPassword(text ?? '')
      return { name, value: text === null ? fallback : shown, source }
    })
  }

  /** The text of a variable; blank counts as unset. */
  text(name: string): string | null
  text(name: string, fallback: string): string
  text(name: string, fallback: string | null = null): string | null {
    return this.#or(name, fallback, this.#values.find(name, false).text, fallback ?? '')
  }

  /** The text of a secret, which may also be given as NAME_FILE and is never shown. */
  secret(name: string): string | null {
    return this.#values.find(name, true).text
  }

  /** An optional variable; `parse` returns null for invalid text. */
  optional<T>(name: string, wants: string, parse: (text: string) => T | null, isSecret = false): T | null {
    const { text } = this.#values.find(name, isSecret)
    if (text === null) return null
    const value = parse(text)
    if (value === null)
      this.complaints.push(`${name} is ${isSecret ? 'set' : JSON.stringify(text)}, but must be ${wants}`)
    return value
  }

  integer<F extends number | null>(
    name: string,
    fallback: F,
    { min = 0, max = Number.MAX_SAFE_INTEGER } = {},
  ): F | number {
    return this.#or<F | number>(name, fallback, this.optionalInteger(name, { min, max }))
  }

  optionalInteger(name: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): number | null {
    return this.optional(name, `a whole number from ${min} to ${max}`, (text) => within(text, /^\d{1,16}$/, min, max))
  }

  decimal(name: string, fallback: number): number {
    return this.#or(name, fallback, this.optionalDecimal(name))
  }

  optionalDecimal(name: string): number | null {
    return this.optional(name, 'a number of days such as 7 or 0.5', (text) =>
      within(text, /^\d{1,9}(\.\d{1,9})?$/, 0, 1e9),
    )
  }

  /** An amount of money, to the millionth. */
  amount(name: string): number | null {
    return this.optional(name, 'a decimal such as 0.02, with at most six places', (text) =>
      within(text, /^\d{1,9}(\.\d{1,6})?$/, 0, 1e9),
    )
  }

  currency(name: string, fallback: string): string {
    const value = this.optional(name, 'a currency code such as EUR', (text) => (/^[A-Z]{3}$/.test(text) ? text : null))
    return this.#or(name, fallback, value, fallback)
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.optional(name, 'true or false', (text) => ({ true: true, false: false })[text] ?? null)
    return this.#or(name, fallback, value)
  }

  rate(name: string, fallback: Rate): Rate {
    return this.#or(name, fallback, this.optional(name, 'a rate such as 300/60s', parseRate), formatRate(fallback))
  }

  duration(name: string, fallback: string): number {
    const value = this.optional(name, 'a duration such as 90s, 15m, 6h or 1d', parseDuration)
    return this.#or(name, parseDuration(fallback) ?? 0, value, fallback)
  }

  /** A time of day in UTC, in milliseconds since midnight. */
  timeOfDay(name: string, fallback: string): number {
    const value = this.optional(name, 'a time of day in UTC, such as 03:30', parseTimeOfDay)
    return this.#or(name, parseTimeOfDay(fallback) ?? 0, value, fallback)
  }

  /** Addresses and networks, separated by commas. */
  networks(name: string, what = 'addresses or networks of your proxies'): string[] | null {
    return this.optional(name, `${what}, such as 10.0.0.0/8`, (text) => {
      const networks = text.split(',').map((part) => part.trim())
      return networks.every((network) => parseNetwork(network) !== null) ? networks : null
    })
  }

  url(name: string, protocols: readonly string[], isSecret = false): string | null {
    return this.optional(
      name,
      `a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
      (text) => {
        if (!URL.canParse(text)) return null
        return protocols.includes(new URL(text).protocol) ? text.replace(/\/+$/, '') : null
      },
      isSecret,
    )
  }

  oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const choose = (text: string) => choices.find((choice) => choice === text) ?? null
    return this.#or(name, fallback, this.optional(name, `one of ${choices.join(', ')}`, choose), fallback)
  }

  list(name: string, fallback: readonly string[]): readonly string[] {
    return this.text(name, fallback.join(','))
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  }

  /** The value, or the default, which is recorded for display. */
  #or<T>(name: string, fallback: T, value: T | null, shown = JSON.stringify(fallback)): T {
    const setting = this.#values.find(name, false)
    if (fallback !== null) this.#values.found.set(name, { ...setting, fallback: shown })
    return value ?? fallback
  }
}

function within(text: string, form: RegExp, min: number, max: number): number | null {
  const value = Number(text)
  return form.test(text) && value >= min && value <= max ? value : null
}

function parseTimeOfDay(text: string): number | null {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === undefined ? null : (Number(hours) * 60 + Number(minutes)) * 60_000
}
