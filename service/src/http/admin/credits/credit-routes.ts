import { Failure } from '../../../foundation/failure.ts'
import { noteFullCheck } from '../../../lifecycle/doctor/check-integrity.ts'
import { readNote } from '../../../credits/prices/price-note.ts'
import { listsOf } from '../../../credits/prices/price-books.ts'
import { receiptView } from '../../../operators/receipt-view.ts'
import { readTimeIfGiven } from '../route/read-time.ts'
import { nextCursor, numberCursor } from '../route/pagination.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

const kindsOf = { grants: ['grant', 'adjustment'], spending: ['hold', 'capture', 'release', 'charge'] } as const

/** Credits of an environment, its ledger, and the receipt of each call. */
export const creditHandlers = {
  grantCredits: ({ admin, body }, { store, clock }) =>
    store.grants.grantCredits({ ...body, actor: admin.actor, at: clock.now() }),

  adjustCredits: ({ admin, body }, { store, clock }) =>
    store.grants.adjustCredits({ ...body, actor: admin.actor, at: clock.now() }),

  setBudget: ({ admin, body }, { store, clock }) =>
    store.grants.setBudget({ ...body, actor: admin.actor, at: clock.now() }),

  setRecurring: ({ admin, body: { carry_over: carryOver = false, ...body } }, { store, clock }) =>
    store.grants.setRecurring({ ...body, carryOver, actor: admin.actor, at: clock.now() }),

  creditBalance: ({ query }, { store, clock }) => store.credits.creditBalance({ ...query, at: clock.now() }),

  async creditHistory({ query }, { store, clock }) {
    const { project, environment, cursor, limit = 100, only, kind, since, until } = query
    const now = clock.now()
    const entries = await store.credits.creditHistory({
      project,
      environment,
      limit,
      before: numberCursor(cursor),
      kinds: kind ? [kind] : only === undefined ? null : kindsOf[only],
      since: readTimeIfGiven('since', since, now) ?? null,
      until: readTimeIfGiven('until', until, now) ?? null,
    })
    return { entries, next_cursor: nextCursor(entries, limit, (entry) => String(entry.id)) }
  },

  async verifyLedger(_call, { store, clock }) {
    const report = await store.credits.verifyLedger(undefined)
    await noteFullCheck(store, 'ledger', { at: clock.now(), ok: report.ok })
    return report
  },

  async showReceipt({ admin, params }, deps) {
    await deps.callsWritten()
    const receipt = await deps.store.credits.receipt({ requestId: params.request_id })
    const visible = receipt && (admin.project === null || admin.project === receipt.project)
    if (!visible) throw new Failure('not_found', { detail: `There is no receipt for ${params.request_id}.` })
    return receiptView(receipt, await listsOf(deps, readNote(receipt.call?.price ?? null)?.book ?? 0))
  },

  showAlerts: ({ query }, { store }) => store.grants.readAlerts(query),

  setAlerts: ({ admin, body }, { store, clock }) => {
    const { project, environment, credits_below: below, ceiling_percent: percent } = body
    const creditsBelow = below === undefined ? {} : { creditsBelow: below }
    const ceilingPercent = percent === undefined ? {} : { ceilingPercent: percent }
    const by = { actor: admin.actor, at: clock.now() }
    return store.grants.setAlerts({ project, environment, ...creditsBelow, ...ceilingPercent, ...by })
  },
} satisfies Partial<AdminHandlers>
