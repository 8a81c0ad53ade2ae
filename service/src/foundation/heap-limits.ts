import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const youngAtMost = 8 * 1_048_576
const lookEveryMs = 250

/**
 * Keeps the memory of this process near what is in use, where V8 on a large machine would take what it can get: 128 MB
 * for new objects alone, and as much garbage as there is live data. All of these are read by V8 while it runs.
 */
export function limitHeap(): void {
  // Buffers count like objects, and a collection is due when both have grown by this much.
  setFlagsFromString('--external-memory-accounted-in-global-limit')
  setFlagsFromString('--heap-growing-percent=25')
  setFlagsFromString('--semi-space-growth-factor=1')
  setInterval(boundYoungSpace, lookEveryMs).unref()
}

/** V8 takes a limit for new objects only from the command line, but asks each time by how much their space may grow. */
function boundYoungSpace(): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  setFlagsFromString(`--semi-space-growth-factor=${(young?.space_size ?? 0) < youngAtMost ? 2 : 1}`)
}
