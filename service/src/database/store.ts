import type { Database } from './dialect.ts'

/**
 * One coarse operation on the store. It owns its transaction. Arguments and result are plain data, because on the
 * embedded engine they cross into the store's thread.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the one place where operations of all shapes are listed
export type Operations = Record<string, (database: Database, args: any) => Promise<unknown>>

/** The operations as their callers see them: the same on both engines. */
export type Store<O extends Operations> = {
  [Name in keyof O]: (args: Parameters<O[Name]>[1]) => ReturnType<O[Name]>
}

/** Runs one named operation somewhere: in this thread or in the store's thread. */
export type RunOperation = (name: string, args: unknown) => Promise<unknown>

/**
 * A store is nothing but named operations; this gives them their types back. The operations themselves need not be
 * loaded for it: where another thread runs them, this one starts quicker without.
 */
export function storeOver<O extends Operations>(run: RunOperation): Store<O> {
  const known = new Map<string | symbol, (args: unknown) => Promise<unknown>>()
  const operation = (name: string) => {
    const made = (args: unknown) => run(name, args)
    known.set(name, made)
    return made
  }
  // A store that is awaited by mistake must not look like a promise.
  const get = (_: object, name: string | symbol) =>
    known.get(name) ?? (typeof name === 'string' && name !== 'then' ? operation(name) : undefined)
  // The type says which names may be asked for.
  return new Proxy({}, { get }) as Store<O>
}
