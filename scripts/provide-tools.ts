import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

interface Tool {
  binary: string
  /** Debian packages that contain it. */
  packages: string[]
  neededFor: string
  /** Required Python modules. */
  modules?: string[]
  /** The slower fallback that the tests use without it. */
  otherwise?: string
}

/** Programs that no npm package provides. A test without its program prints a warning and is skipped. */
const tools: Tool[] = [
  { binary: 'redis-server', packages: ['redis-server'], neededFor: 'tests of shared limits and of many nodes' },
  { binary: 'pgbouncer', packages: ['pgbouncer'], neededFor: 'tests behind PgBouncer' },
  { binary: 'haproxy', packages: ['haproxy'], neededFor: 'tests behind HAProxy' },
  { binary: 'varnishd', packages: ['varnish'], neededFor: 'tests behind a caching Varnish' },
  { binary: 'nginx', packages: ['nginx-light'], neededFor: 'tests behind nginx' },
  { binary: 'caddy', packages: ['caddy'], neededFor: 'tests of the file for Caddy' },
  { binary: 'openssl', packages: ['openssl'], neededFor: 'tests of TLS behind the proxies' },
  { binary: 'strace', packages: ['strace'], neededFor: 'the test that the service opens no file of its store itself' },
  { binary: 'sqlite3', packages: ['sqlite3'], neededFor: 'the test of looking into a store that is in use' },
  { binary: 'squid', packages: ['squid'], neededFor: 'tests behind a caching Squid' },
  { binary: 'chromium', packages: ['chromium', 'fonts-liberation'], neededFor: 'tests of the console in a browser' },
  {
    binary: '/usr/bin/python3',
    modules: ['httpx', 'pandas', 'mypy', 'setuptools', 'wheel'],
    packages: ['python3-httpx', 'python3-pandas', 'mypy', 'python3-setuptools', 'python3-wheel'],
    neededFor: 'tests of the Python client',
  },
  {
    binary: 'chromium-headless-shell',
    packages: ['chromium-headless-shell'],
    neededFor: 'the same tests in a third of the CPU time',
    otherwise: 'chromium',
  },
]

const minute = 60_000

/** Installs missing programs if possible and allowed, and reports the ones that stay missing. */
export function provideTools(): void {
  const missing = tools.filter((tool) => !isThere(tool))
  if (missing.length === 0) return
  const obstacle = whyNotInstall()
  if (obstacle) console.warn(`Nothing is installed: ${obstacle}.`)
  else {
    // Installs the two groups separately, because apt-get refuses the whole group if a release lacks one package.
    const [needed, useful] = [missing.filter((tool) => !tool.otherwise), missing.filter((tool) => tool.otherwise)]
    for (const group of [needed, useful]) if (group.length > 0) install(group.flatMap((tool) => tool.packages))
  }

  const isMissing = (tool: Tool) => !isThere(tool) && !(tool.otherwise && isInstalled(tool.otherwise))
  for (const tool of missing.filter(isMissing)) {
    console.warn(
      `!! ${tool.binary} is missing, so these will be SKIPPED: ${tool.neededFor} (${tool.packages.join(' ')}).`,
    )
  }
}

function whyNotInstall(): string | null {
  if (process.env['VITAE_TEST_NO_INSTALL'] === '1') return 'VITAE_TEST_NO_INSTALL is 1'
  if (!isInstalled('apt-get')) return 'this machine has no apt-get'
  return process.getuid?.() === 0 ? null : 'only root may use apt-get'
}

function install(packages: string[]): void {
  console.log(`Installing ${packages.join(', ')} ...`)
  const patience = ['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1', '-o', 'DPkg::Lock::Timeout=60']
  const done =
    aptGet([...patience, '-qq', 'update'], 2 * minute) &&
    aptGet([...patience, '-qq', '-y', '--no-install-recommends', 'install', ...packages], 5 * minute)
  if (!done) console.warn('The installation failed; the tests run without these programs.')
}

function aptGet(options: string[], timeout: number): boolean {
  // Runlevel 1 keeps packages from starting daemons. The tests start what they need on free ports.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const { status, stderr } = spawnSync('apt-get', options, { env, timeout, encoding: 'utf8' })
  if (status !== 0) console.warn(stderr.trim().split('\n').slice(-3).join('\n') || 'apt-get took too long')
  return status === 0
}

function isThere({ binary, modules }: Tool): boolean {
  if (!modules) return isInstalled(binary)
  return spawnSync(binary, ['-c', `import ${modules.join(', ')}`]).status === 0
}

function isInstalled(binary: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.some((folder) => {
    try {
      accessSync(join(folder, binary), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
