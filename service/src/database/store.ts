import type { Operation } from './operation.ts'

/**
 * One coarse operation on the store. It owns its transaction. Arguments and result are plain data, because on the
 * embedded engine they cross into the store's thread.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the one place where operations of all shapes are listed
export type Operations = Record<string, Operation<any, unknown>>

/** The operations as their callers see them: the same on both engines. */
export type Store<O extends Operations> = {
  [Name in keyof O]: (args: Parameters<O[Name]>[1]) => ReturnType<O[Name]>
}

/** Runs a named operation: in this thread or in the store's thread. */
export type RunOperation = (name: string, args: unknown) => Promise<unknown>

/** Opened operations. On SQLite the serving thread knows only their names: it starts faster without the rest. */
export interface OpenedOperations {
  names: readonly string[]
  run: RunOperation
}

/** A store is a set of named operations; this restores their types. */
export function storeOver<O extends Operations>({ names, run }: OpenedOperations): Store<O> {
  // The caller states which operations the names belong to.
  return Object.fromEntries(names.map((name) => [name, (args: unknown) => run(name, args)])) as Store<O>
}
