import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const youngAtMost = 24 * 1_048_576
const lookEveryMs = 250

/**
 * Keeps the memory of this process below what its operator expects, where V8 on a large machine would take what it can
 * get: 128 MB for new objects alone, and as much garbage as there is live data. Collecting often costs time, so it begins
 * only when the process has grown to `bytes`. All of these flags are read by V8 while it runs.
 */
export function limitHeap(bytes: number): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  let tight = false
  const look = () => {
    boundYoungSpace()
    const large = process.memoryUsage.rss() > bytes
    if (large !== tight) collectOften((tight = large))
  }
  setInterval(look, lookEveryMs).unref()
}

/** V8 takes a limit for new objects only from the command line, but asks each time by how much their space may grow. */
function boundYoungSpace(): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  setFlagsFromString(`--semi-space-growth-factor=${(young?.space_size ?? 0) < youngAtMost ? 2 : 1}`)
}

/** A collection is due when objects, and buffers like them, have grown by so many per cent; 0 leaves it to V8. */
function collectOften(often: boolean): void {
  setFlagsFromString(`--${often ? '' : 'no-'}external-memory-accounted-in-global-limit`)
  setFlagsFromString(`--heap-growing-percent=${often ? 80 : 0}`)
}
