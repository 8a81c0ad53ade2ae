import { nearestName } from './nearest-name.ts'
import { isInjected, type Environment } from './setting-values.ts'

/** Read by the command line and by the examples for callers, not by the service. */
const readElsewhere = ['VITAE_URL', 'VITAE_API_KEY', 'VITAE_API_KEY_FILE', 'VITAE_KEY']

/** What people look for under another word. */
const subjects: readonly [word: RegExp, name: string][] = [
  [/RETENTION|RETAIN/, 'VITAE_RECORD_DAYS'],
  [/PROVIDER/, 'VITAE_UPSTREAM'],
]

/** One line for each VITAE_ variable that no setting has: a misspelt name would otherwise be a default, silently. */
export function unknownNames(env: Environment, known: readonly string[]): string[] {
  const names = new Set([...known, ...readElsewhere])
  return Object.entries(env).flatMap(([name, text = '']) => {
    if (!name.startsWith('VITAE_') || names.has(name) || text.trim() === '') return []
    if (name.startsWith('VITAE_TEST_') || isInjected(name, text.trim())) return []
    return [`${name} is not a setting: ${hint(name, names)} (VITAE_ALLOW_UNKNOWN=true makes this a warning)`]
  })
}

function hint(name: string, known: ReadonlySet<string>): string {
  const near = suggestion(name, known)
  return near === null ? '.env.example lists them all' : `did you mean ${near}?`
}

function suggestion(name: string, known: ReadonlySet<string>): string | null {
  const plain = name.slice('VITAE_'.length)
  // The conventional names have no prefix: PORT, DATABASE_URL.
  if (known.has(plain)) return plain
  const subject = subjects.find(([word]) => word.test(plain))?.[1]
  const near = nearestName(plain, [...known].map(withoutPrefix))
  const full = near === null || known.has(near) ? near : `VITAE_${near}`
  return full ?? subject ?? [...known].find((candidate) => candidate.includes(plain)) ?? null
}

function withoutPrefix(name: string): string {
  return name.replace(/^VITAE_/, '')
}
