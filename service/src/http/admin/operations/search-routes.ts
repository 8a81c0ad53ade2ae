import { searchAll } from '../../../operators/search.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

export const searchHandlers = {
  async searchAll({ admin, body }, deps) {
    const text = body.text.trim()
    if (text === '') return { results: [] }
    return { results: await searchAll(deps, admin, text) }
  },
} satisfies Partial<AdminHandlers>
