/** `npm run power-cut`: cuts the power of a running service and looks for losses on the disk. */
import { parseArgs } from 'node:util'
import { LoopDisk } from '../service/test/guarantees/loop-disk.ts'
import { countOf, lossText, runCuts, type CutTally } from '../service/test/guarantees/power-cut/run-cuts.ts'
import { endSignal, inOwnGroup } from './campaign/own-group.ts'

const usage = `npm run power-cut -- [options]

Runs \`vitae serve\` on a small file system whose disk is a file, under calls, erasures, new and revoked keys and grants.
At random moments it copies that file, which is the state after a power cut, mounts the copy and checks it. The store opens, the
ledger verifies, no answered charge, grant, key or revocation is lost, every erased byte is gone, every secret is
there, and after a restart of the service retries are paid once. Some copies include all unwritten pages of the system
("written back"), or a log whose last writes are torn. Needs Linux, root and mkfs.ext4; elsewhere it prints that and exits with 0.

  --cuts N         number of power cuts (200)
  --seed S         seed for calls, moments and kinds of cuts (1). Timing depends on the machine, so runs differ slightly
  --without-sync   disable the service's syncs, to check that losses are found: must exit with 1
  --json           print one JSON line at the end

Examples:
  npm run power-cut -- --cuts 20
  npm run power-cut -- --cuts 200 --seed 7 --json
  npm run power-cut -- --cuts 5 --without-sync`

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    'without-sync': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else {
  await inOwnGroup(import.meta.filename)
  await cutPower()
}

async function cutPower(): Promise<void> {
  const obstacle = LoopDisk.obstacle()
  if (obstacle !== null) {
    console.warn(`!! NOT RUN: power cuts, because ${obstacle}`)
    if (values.json) console.log(JSON.stringify({ skipped: obstacle }))
    return
  }
  const started = performance.now()
  const [cuts, seed] = [Number(values.cuts), Number(values.seed)]
  const tally = await runCuts({
    cuts,
    seed,
    withoutSync: values['without-sync'],
    signal: endSignal(),
    onCut: (sofar, done) => {
      for (const loss of sofar.losses.filter(({ cut }) => cut === done)) console.error(`LOST: ${lossText(loss)}`)
      if (done % 10 === 0) console.error(`${done} of ${cuts} cuts, ${sofar.losses.length} losses`)
    },
  })
  report(tally, (performance.now() - started) / 1_000)
}

function report(tally: CutTally, seconds: number): void {
  if (tally.losses.length > 0) process.exitCode = 1
  if (values.json) {
    console.log(JSON.stringify({ ...tally, seed: Number(values.seed), seconds: Math.round(seconds) }))
    return
  }
  const kinds = Object.entries(tally.cuts).map(([kind, count]) => `${count} ${kind}`)
  const { charges, erasures, keys, grants, secrets } = tally.promised
  console.log(
    `${countOf(tally)} cuts (${kinds.join(', ')}), ${tally.calls} calls: of ${charges} charges, ${erasures} erasures, ${keys} keys, ` +
      `${grants} grants and ${secrets} secrets that were looked for ${tally.losses.length} lost or doubled; seed ${values.seed}, ${seconds.toFixed(0)} s`,
  )
}
