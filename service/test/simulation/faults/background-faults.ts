import type { Fault } from './fault.ts'

/** Mistakes about batches and watches. */
export const backgroundFaults: readonly Fault[] = [
  {
    name: 'a repeated row of a batch has another idempotency key',
    file: 'batches/store/batch-rows.ts',
    in: 'rowIdempotencyKey',
    find: '`batch ${publicId} of ${subject}`',
    replace: '`batch ${publicId} of ${subject} ${performance.now()}`',
  },
  {
    name: 'a batch is removed when the answer to its submission is lost',
    file: 'batches/submit-batch.ts',
    in: 'discard',
    find: 'if (await deps.store.batches.giveUpBatch({ id: upload.id })) await removeRows(deps, upload, { withIdempotency: false })',
    replace:
      'await deps.store.batches.giveUpBatch({ id: upload.id })\n    await removeRows(deps, upload, { withIdempotency: false })',
  },
  {
    name: 'a watch has another idempotency key after a crash',
    file: 'watches/run-watches.ts',
    in: 'lookupOf',
    find: 'idempotencyKey: `watch\\n${id}\\n${due}`',
    replace: 'idempotencyKey: `watch\\n${id}\\n${due}\\n${startedAt}`',
  },
  {
    name: 'a paid refresh is repeated when its end cannot be written',
    file: 'watches/run-watches.ts',
    in: 'refreshWatch',
    find: 'await store.watches.finishWatch({ id, lease, end, at: lookup.clock.now() })',
    replace: `const at = lookup.clock.now()
  const again = () => store.watches.finishWatch({ id, lease, end: { failed: 'store_unavailable' }, at })
  await store.watches.finishWatch({ id, lease, end, at }).catch(again)`,
  },
]
