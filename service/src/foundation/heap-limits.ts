import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

// Between two looks a space may grow, but not far.
const lookEveryMs = 50
const youngAtMost = 16 * 1_048_576

/** From how many bytes besides the cache on, and at what growth in per cent, garbage is collected; the process may take 150 MB. */
const steps = [
  { from: 105 * 1_048_576, percent: 25 },
  { from: 60 * 1_048_576, percent: 80 },
]

/**
 * Keeps the memory of this process below what its operator expects, where V8 on a large machine would take what it can
 * get: 128 MB for new objects alone, and as much garbage as there is live data. Collecting often costs time, so it is done
 * the more often the less room is left. All of these flags are read by V8 while it runs.
 */
export function limitHeap(cacheBytes: number): void {
  let percent = 0
  const look = () => {
    boundYoungSpace()
    const besides = process.memoryUsage.rss() - cacheBytes
    const next = steps.find(({ from }) => besides > from)?.percent ?? 0
    if (next !== percent) collectAt((percent = next))
  }
  look()
  setInterval(look, lookEveryMs).unref()
}

/** V8 takes a limit for new objects only from the command line, but asks each time by how much their space may grow. */
function boundYoungSpace(): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  setFlagsFromString(`--semi-space-growth-factor=${(young?.space_size ?? 0) < youngAtMost ? 2 : 1}`)
}

/** A collection is due when objects, and buffers like them, have grown by so many per cent; 0 leaves it to V8. */
function collectAt(percent: number): void {
  setFlagsFromString(`--${percent > 0 ? '' : 'no-'}external-memory-accounted-in-global-limit`)
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}
