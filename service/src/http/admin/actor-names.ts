import type { AppDeps } from '../deps.ts'

/** The labels of the tokens among these actors: the names by which people know them. The logs themselves hold none. */
export async function actorNames(
  { store }: Pick<AppDeps, 'store'>,
  actors: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (!actors.some((actor) => actor.startsWith('token:'))) return new Map()
  const tokens = await store.listTokens({ limit: null, after: null })
  return new Map(tokens.map(({ id, label }) => [`token:${id}`, label]))
}
