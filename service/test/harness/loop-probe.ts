import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into a service with `--import`: measures the longest block of its event loop. It counts CPU time of the main
 * thread, so a busy machine does not affect it. A request returns the milliseconds since the previous request.
 */
function measureLoop(): void {
  let longestMs = 0
  let before = process.threadCpuUsage()
  const tick = () => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longestMs = Math.max(longestMs, (user + system) / 1_000)
    setTimeout(tick, 1).unref()
  }
  tick()
  const server = createServer((_request, response) => {
    // A kept connection could be closed while the next request is on its way.
    response.setHeader('connection', 'close').end(String(longestMs))
    longestMs = 0
  })
  server.listen(0, '127.0.0.1', () => {
    writeFileSync(`${process.env['VITAE_TEST_WATCH']}.probe`, String((server.address() as AddressInfo).port))
  })
  server.unref()
}

// The service's threads load this file too.
if (isMainThread) measureLoop()
