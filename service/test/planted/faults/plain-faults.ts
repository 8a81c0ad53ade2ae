import type { TestedFault } from '../tested-fault.ts'

/** Mistakes in code without a service: parsers, mappings, arithmetic and pacing. */
export const plainFaults: readonly TestedFault[] = [
  {
    name: 'the jobs of a second provider are judged as its first',
    file: 'records/changes/judge-changes.ts',
    in: 'viewOf',
    find: "isSilent ? new Set([...unsaid, 'experience']) : unsaid",
    replace: 'isSilent ? unsaid : unsaid',
    test: 'records/changes/judge-changes.test.ts',
  },
  {
    name: 'past jobs stand in the order of their starts',
    file: '../../provider/src/mapping/experience.ts',
    in: 'byRecency',
    find: 'isOngoingLater || lastDay(two) - lastDay(one) || firstDay(two) - firstDay(one)',
    replace: 'isOngoingLater || firstDay(two) - firstDay(one) || lastDay(two) - lastDay(one)',
    test: '../../provider/test/mapping/experience.test.ts',
  },
  {
    name: 'two quotes in a cell are none',
    file: '../../contract/src/csv/csv-reader.ts',
    in: '#take',
    find: "if (this.#state === 'closed') this.#cell += '\"'\n      else this.#quotedAt = this.#place",
    replace: "if (this.#state !== 'closed') this.#quotedAt = this.#place",
    test: 'foundation/csv/csv-reader.test.ts',
  },
]
