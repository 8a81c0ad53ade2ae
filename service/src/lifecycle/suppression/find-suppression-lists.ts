import { dirname, join } from 'node:path'
import { StartError } from '../../foundation/data-folder.ts'
import { proofOf } from '../../cluster/share-secret.ts'
import {
  readSuppressionFile,
  suppressionFileName,
  suppressionsBeside,
  type SuppressionList,
} from './suppression-file.ts'

export interface FoundList extends SuppressionList {
  path: string
}

interface Wish {
  file: string
  suppressionsFile: string | null
  backupDir: string | null
  /** The data folder that the backup was made from. */
  origin: { dataDir: string } | null
  secret: string | null
}

/**
 * The suppression lists that a restore can learn from: the one it is given, or else those beside the backup, in the
 * folder of scheduled backups, and in the old data folder. They are taken together: a name too many keeps someone out,
 * a name too few brings someone back.
 */
export async function findSuppressionLists(wish: Wish): Promise<FoundList[]> {
  const { suppressionsFile, secret } = wish
  if (suppressionsFile !== null) {
    const list = await readSuppressionFile(suppressionsFile)
    if (!list) throw new StartError(`There is no file ${suppressionsFile}`)
    if (list.proof !== null && secret !== null && list.proof !== proofOf(secret))
      throw new StartError(`${suppressionsFile} was written with another secret key`)
    return [{ ...list, path: suppressionsFile }]
  }
  const found: FoundList[] = []
  for (const path of new Set(likelyPlaces(wish))) {
    const list = await readSuppressionFile(path)
    // One of another service may lie in the same folder; its hashes would match nobody.
    const foreign = list?.proof && secret !== null && list.proof !== proofOf(secret)
    if (list && !foreign) found.push({ ...list, path })
  }
  return found
}

function likelyPlaces({ file, backupDir, origin }: Wish): string[] {
  const folders = [dirname(file), ...(backupDir === null ? [] : [backupDir]), ...(origin ? [origin.dataDir] : [])]
  return [suppressionsBeside(file), ...folders.map((folder) => join(folder, suppressionFileName))]
}
