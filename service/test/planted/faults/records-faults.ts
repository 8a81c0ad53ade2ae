import type { TestedFault } from '../tested-fault.ts'

/** Mistakes about records: freshness, keys, jobs and texts. */
export const recordFaults: readonly TestedFault[] = [
  {
    name: 'a text of dashes is a value',
    file: '../../provider/src/mapping/text.ts',
    in: 'text',
    find: "known === '' || /^[-\\u2010-\\u2015\\s]+$/.test(known)",
    replace: "known === ''",
    test: '../../provider/test/mapping/text.test.ts',
  },
  {
    name: 'a late view of an older job is reported',
    file: 'records/changes/known-jobs.ts',
    in: 'move',
    find: 'const isOld = isJoin ? beganBefore(group, late) : endedBefore(group, late)',
    replace: 'const isOld = false && (isJoin ? beganBefore(group, late) : endedBefore(group, late))',
    test: 'records/changes/judge-changes.test.ts',
  },
  {
    name: 'records are stored without a checksum',
    file: 'database/packing/pack.ts',
    in: 'pack',
    find: '{ params, dictionary, chunkSize: packedBytes }',
    replace: '{ params: { ...params, [constants.ZSTD_c_checksumFlag]: 0 }, dictionary, chunkSize: packedBytes }',
    test: 'database/bit-rot.test.ts',
  },
  {
    name: 'a changed row is not noticed',
    file: 'database/sqlite/reader/check-file.ts',
    in: 'changed',
    find: "row['checksum'] !== rowChecksum(table, row)",
    replace: "row['checksum'] === 'never'",
    test: 'database/bit-rot.test.ts',
    title: 'is noticed',
  },
]
