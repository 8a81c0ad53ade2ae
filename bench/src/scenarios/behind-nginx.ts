import type { Bench } from '../bench.ts'
import { benchSlug } from '../stores/bench-slug.ts'
import type { Contestant } from '../contestants/contestant.ts'
import { proxyCore, startBehindNginx } from '../contestants/nginx.ts'
import { startReadyBytes } from '../contestants/ready-bytes.ts'
import { takeSample } from '../contestants/sample-answer.ts'
import { startVitae } from '../contestants/vitae.ts'
import { cpu, p99, race, rps, type Race } from '../race.ts'
import type { Findings } from '../report/result.ts'
import { atLeast, atMost, type Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const records = 100
type Start = <C extends Contestant | null>(contestant: Promise<C>) => Promise<C>

/** Store hits as in production: one process that trusts a proxy, called directly and through nginx. */
export const behindNginx: Scenario = {
  name: 'behind-nginx',
  title: 'Store hit, hot cache, direct and behind nginx: 64 connections',
  run: (bench) => withAll((start) => compete(bench, start)),
}

async function compete(bench: Bench, start: Start): Promise<Findings> {
  const direct = [...(await startPair(bench, start, 'live')), ...(await startPair(bench, start, 'test'))]
  const options = { cores: proxyCore(bench.cores), folder: bench.folder, say: bench.say }
  const behind: (Contestant | null)[] = []
  for (const contestant of direct) behind.push(await start(startBehindNginx(contestant, options)))
  const contestants = [...direct, ...behind.filter((one) => one !== null)]
  const runners = contestants.map((contestant) => ({ name: contestant.name, contestant, ids: records }))
  return judged(await race(bench, runners))
}

/** Vitae, and a bare server with the same response bytes. */
async function startPair(bench: Bench, start: Start, mode: 'live' | 'test'): Promise<Contestant[]> {
  const { cores, folder, stores } = bench
  const store = await stores.embedded(mode === 'live' ? records : 1, { name: `behind-nginx-${mode}` })
  const env = { VITAE_TRUST_PROXY: '127.0.0.1' }
  const vitae = await start(startVitae({ name: `vitae-${mode}`, store, cores: cores.server, mode, env }))
  const key = vitae.keys[0] ?? ''
  const sample = await takeSample(vitae.url, key, benchSlug(0))
  const name = mode === 'live' ? 'node-http' : 'node-http, test bytes'
  return [vitae, await start(startReadyBytes({ name, cores: cores.server, folder, sample, key }))]
}

function judged({ rows, ratio, billing, notes }: Race): Findings {
  const places = ['', ', behind nginx'].map((place) => {
    const [live, test] = [`vitae-live${place}`, `vitae-test${place}`]
    const [bare, bareTest] = [`node-http${place}`, `node-http, test bytes${place}`]
    const where = place === '' ? 'in front' : 'behind nginx'
    const [liveRps, testRps, tail] = [ratio(live, bare), ratio(test, bareTest), ratio(live, bare, p99)]
    return {
      ratios: [...liveRps, ...testRps, ...tail, ...ratio(live, bare, cpu), ...ratio(test, bareTest, cpu)],
      verdicts: [
        ...atLeast(`live key ${where}, against bare node:http there`, 0.55, liveRps),
        ...atLeast(`test key ${where}, against bare node:http there`, 0.85, testRps),
        ...atMost(`p99 at 64 connections ${where}, against bare node:http there`, 2, tail),
      ],
    }
  })
  return {
    rows,
    ratios: places.flatMap(({ ratios }) => ratios),
    billing,
    notes: [...notes, 'CPU time is that of the server, without nginx'],
    verdicts: places.flatMap(({ verdicts }) => verdicts),
    shown: rps,
  }
}
