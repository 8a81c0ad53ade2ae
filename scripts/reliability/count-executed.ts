/**
 * Loaded into every thread of a service (`node --import`): counts the functions that run, and reports them on request.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads'

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const folder = process.env['COUNT_FOLDER'] ?? ''
const channel = new BroadcastChannel('vitae-count-executed')
channel.addEventListener('message', (event) => void take('data' in event ? String(event.data) : ''))
// Does not keep the process alive.
channel.unref()
if (isMainThread) process.on('message', (name: string) => (channel.postMessage(name), void take(name)))

/** Writes the files whose functions ran since the last request. Reading the counts resets them. */
async function take(name: string): Promise<void> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
  )
  const file = `${folder}/${name}.${threadId}`
  writeFileSync(file, JSON.stringify(ran.map(({ url }) => url)))
  // Renamed when complete, because the reader takes the file as soon as it exists.
  renameSync(file, `${file}.json`)
}
