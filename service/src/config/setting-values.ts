import { readFileSync } from 'node:fs'

export type Environment = Readonly<Record<string, string | undefined>>

/** A file of variables (`.env`), and the names that were taken from it because the environment had none. */
export interface EnvFile {
  path: string
  names: readonly string[]
}

/** One setting in effect. */
export interface Setting {
  name: string
  isSecret: boolean
  /** As given, or null. */
  text: string | null
  /** The default, or null. */
  fallback: string | null
  /** `default`, `environment`, the path of the .env file, or the name of the _FILE variable. */
  source: string
}

/** A setting as operators may see it: a secret is "(set)". */
export interface Variable {
  name: string
  value: string | null
  source: string
}

/** The origin of a configuration. */
export interface Origin {
  variables: Variable[]
  /** Findings that do not prevent the start. */
  warnings: readonly string[]
  envFile: string | null
}

/** Finds the text of each setting once: in the environment, in a .env file, or, for a secret, in its own file. */
export class SettingValues {
  readonly found = new Map<string, Setting>()
  readonly #env: Environment
  readonly #envFile: EnvFile | null
  readonly #complain: (line: string) => void

  constructor(env: Environment, envFile: EnvFile | null, complain: (line: string) => void) {
    this.#env = env
    this.#envFile = envFile
    this.#complain = complain
  }

  /** A secret may be given as NAME or as NAME_FILE, the path of a file that contains it. */
  find(name: string, isSecret: boolean): Setting {
    const known = this.found.get(name)
    if (known && (known.isSecret || !isSecret)) return known
    const text = textOf(this.#env, name)
    const own = { name, isSecret, text, fallback: null, source: text === null ? 'default' : this.#sourceOf(name) }
    const setting = isSecret ? this.#withFile(own) : own
    this.found.set(name, setting)
    return setting
  }

  #withFile(own: Setting): Setting {
    const name = `${own.name}_FILE`
    const path = textOf(this.#env, name)
    if (path === null) return own
    if (own.text !== null) {
      this.#complain(`${own.name} and ${name} are both set: give one of them`)
      return own
    }
    const secret = readSecretFile(path)
    if (secret.text === null) this.#complain(`${name} is ${JSON.stringify(path)}, but ${secret.problem}`)
    return { ...own, text: secret.text, source: name }
  }

  #sourceOf(name: string): string {
    return this.#envFile?.names.includes(name) ? this.#envFile.path : 'environment'
  }
}

/** The secret in NAME or in the file that NAME_FILE names, for commands that read only one setting. */
export function readSecret(env: Environment, name: string): string | null {
  const complaints: string[] = []
  const { text } = new SettingValues(env, null, (line) => complaints.push(line)).find(name, true)
  if (complaints.length > 0) throw new ConfigError(complaints)
  return text
}

/** All wrong values of a start, one line each: the variable, its value, and what it must be. */
export class ConfigError extends Error {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.name = 'ConfigError'
    this.lines = lines
  }
}

/** Blank counts as unset, and so does a value that an orchestrator injected. */
function textOf(env: Environment, name: string): string | null {
  const text = env[name]?.trim()
  return text && !isInjected(name, text) ? text : null
}

/**
 * Whether an orchestrator set the variable: Kubernetes sets such names in every pod for every service called vitae or
 * vitae-...
 */
export function isInjected(name: string, text: string): boolean {
  if (/^VITAE(_[A-Z\d_]+)?_SERVICE_(HOST|PORT(_[A-Z\d_]+)?)$/.test(name)) return true
  if (/^VITAE(_[A-Z\d_]+)?_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name)) return true
  return /^VITAE(_[A-Z\d_]+)?_PORT$/.test(name) && /^(tcp|udp|sctp):\/\//.test(text)
}

function readSecretFile(path: string): { text: string; problem?: never } | { text: null; problem: string } {
  try {
    const text = readFileSync(path, 'utf8').trim()
    return text === '' ? { text: null, problem: 'that file is empty' } : { text }
  } catch (error) {
    return {
      text: null,
      problem: `that file cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

/** Credentials may be before the host and in the query of a database URL. */
export function withoutPassword(text: string): string {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text)) return text
  const url = new URL(text)
  if (url.username === '' && url.password === '' && url.search === '') return text
  if (url.password !== '') url.password = '***'
  for (const name of url.searchParams.keys()) url.searchParams.set(name, '***')
  return url.href
}
