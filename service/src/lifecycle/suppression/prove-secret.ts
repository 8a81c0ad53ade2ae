import { StartError } from '../../foundation/data-folder.ts'
import type { BackupOperations } from '../../database/backup-operations.ts'
import type { Store } from '../../database/store.ts'
import type { NodeOperations } from '../../cluster/node-operations.ts'
import { proofName, proofOf } from '../../cluster/share-secret.ts'

type Deps = Pick<Store<NodeOperations & BackupOperations>, 'ensureSetting' | 'writeSetting' | 'countStore'>

/** Refuses a secret that is not the one of this store: with another one erased people would no longer be recognised. */
export async function proveSecret(store: Deps, secret: string): Promise<void> {
  const proof = await store.ensureSetting({ name: proofName, value: proofOf(secret) })
  if (proof === proofOf(secret)) return
  const { suppressions } = await store.countStore(null)
  if (suppressions > 0) {
    throw new StartError(
      'VITAE_SECRET_KEY is not the secret of this store, and erased people would no longer be recognised: set it to the one it had (without VITAE_SECRET_KEY it is the file secret-key in the data folder)',
    )
  }
  await store.writeSetting({ name: proofName, value: proofOf(secret) })
}
