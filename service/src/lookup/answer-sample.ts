import { LRUCache } from 'lru-cache'
import type { Clock } from '../foundation/clock.ts'
import { Failure } from '../foundation/failure.ts'
import type { Identifier } from '../foundation/identifier.ts'
import { sampleAnswer, type SampleFailure, type SampleRecord } from '../records/samples/sample-answer.ts'
import { cutBody, serialiseRecord, type CutRecord } from '../records/body/record-bytes.ts'
import type { Lookup, LookupAnswer } from './lookup.ts'

type ReadySample = SampleFailure | (Omit<SampleRecord, 'record'> & CutRecord)

// Besides VITAE_CACHE_MB: room for a few hundred samples, and nobody practises with more.
const keptBytes = 2 * 1_048_576
const kept = new LRUCache<string, ReadySample>({ maxSize: keptBytes, sizeCalculation: sizeOf })

/** A lookup with a test key: a fictional record or a situation to practise, without store, ledger or upstream. */
export function answerSample({ clock }: { clock: Clock }, { identifier, name, include }: Lookup): LookupAnswer {
  const sample = readySample(identifier, name)
  if ('failure' in sample) {
    const { retryAfterSeconds } = sample
    throw new Failure(sample.failure, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
  }
  return {
    body: cutBody(sample, include),
    source: sample.source,
    fetchedAt: clock.now() - sample.ageSeconds * 1_000,
    sourceUpdatedAt: null,
    thin: sample.thin,
    replay: null,
    credits: null,
  }
}

/** A sample never changes, so that it is made once and kept for a while. */
function readySample(identifier: Identifier, name: string): ReadySample {
  const ready = kept.get(name)
  if (ready) return ready
  const sample = sampleAnswer(identifier)
  const made = 'failure' in sample ? sample : withBytes(identifier, sample)
  kept.set(name, made)
  return made
}

function sizeOf(sample: ReadySample): number {
  return 500 + ('body' in sample ? sample.body.byteLength : 0)
}

function withBytes(identifier: Identifier, { record, ...sample }: SampleRecord): ReadySample {
  return { ...sample, ...serialiseRecord(identifier.kind, record) }
}
