import type { Life } from '../world/simulated-service.ts'
import { exercise } from './exercises.ts'
import { Violation, type Law } from './law.ts'

const clocks: Law = 'a node with a wrong clock says so, and takes no paid calls'
/** Smaller differences are normal for network time. */
const reportedFromMs = 2_000
/** A node knows the difference only to some milliseconds. */
const estimateErrorMs = 100

/** A node reports exactly if the clock of its machine differs from the database's. */
export async function checkClock({ node, service, store, machineAheadMs, isFrozen }: Life): Promise<void> {
  const fromLimitMs = Math.abs(Math.abs(machineAheadMs) - reportedFromMs)
  if (isFrozen || fromLimitMs < estimateErrorMs) return
  const { checks } = await store.atOnce(() => service.readiness())
  const differs = Math.abs(machineAheadMs) > reportedFromMs
  exercise(clocks, differs)
  const said = checks['clock'] ?? 'ok'
  if (said !== (differs ? 'differs' : 'ok'))
    throw new Violation(clocks, `node ${node}, ${machineAheadMs} ms ahead, says ${JSON.stringify(said)}`)
}
