// Plain JavaScript, because it runs at the end of every npm ci, on any Node.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

try {
  createRequire(import.meta.url).resolve('vite')
} catch {
  console.log('Nothing was built, because the development dependencies are not installed. /console will show a notice.')
  process.exit(0)
}
const built = spawnSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] })
process.exit(built.status ?? 1)
