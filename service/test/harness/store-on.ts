import { operations } from '../../src/app/store/operations.ts'
import type { WholeStore } from '../../src/app/store/service-store.ts'
import type { Database } from '../../src/database/engine/dialect.ts'
import { byName, storeOver, type RunOperation, type Store, type Subjects } from '../../src/database/engine/operation.ts'

const names = Object.keys(byName(operations))

/** The whole store, whose operations run as the test wants. */
export function storeRunBy(run: RunOperation): WholeStore {
  return storeOver({ names, run })
}

/** A store of some subjects over an open database. `asked` gets the name of each operation. */
export function storeOn<S extends Subjects>(database: Database, subjects: S, asked?: (name: string) => void): Store<S> {
  const named = byName(subjects)
  return storeOver({
    names: Object.keys(named),
    run: async (name, args) => {
      asked?.(name)
      return named[name]?.(database, args)
    },
  })
}
