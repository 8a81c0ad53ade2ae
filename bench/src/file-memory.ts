import { spawnSync } from 'node:child_process'
import { createReadStream } from 'node:fs'

/** Reads a file once, so that the operating system has it in memory where there is room. */
export async function warmFile(file: string): Promise<void> {
  for await (const _ of createReadStream(file, { highWaterMark: 1_048_576 }));
}

/** Has the operating system forget what it has of a file; GNU `dd` may ask for that without being root. False without it. */
export function coolFile(file: string): boolean {
  return spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' }).status === 0
}
