import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/** Whether a path is inside a folder or is that folder, even through links; the path itself need not exist yet. */
export function liesWithin(path: string, folder: string): boolean {
  const way = relative(real(resolve(folder)), real(resolve(path)))
  return way === '' || (way.split(/[\\/]/)[0] !== '..' && resolve(way) !== way)
}

function real(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const parent = dirname(path)
  return parent === path ? path : join(real(parent), basename(path))
}
