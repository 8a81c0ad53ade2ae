import { behindNginx } from './behind-nginx.ts'
import { besideBatch } from './beside-batch.ts'
import { besideOperators } from './beside-operators.ts'
import { besideWork } from './beside-work.ts'
import { cold } from './cold.ts'
import { duplicates } from './duplicates.ts'
import { freeRoutes } from './free-routes.ts'
import { growth } from './growth.ts'
import { hot } from './hot.ts'
import { keys } from './keys.ts'
import { liveMiss } from './live-miss.ts'
import { memory } from './memory.ts'
import type { Scenario } from './scenario.ts'
import { slowProvider } from './slow-provider.ts'
import { start } from './start.ts'
import { thundering } from './thundering.ts'
import { twoTenants } from './two-tenants.ts'

/** All scenarios, in the order of a full run. */
export const scenarios: readonly Scenario[] = [
  hot,
  behindNginx,
  twoTenants,
  slowProvider,
  besideBatch,
  besideWork,
  besideOperators,
  freeRoutes,
  cold,
  liveMiss,
  thundering,
  keys,
  duplicates,
  growth,
  start,
  memory,
]

export const scenarioNames = scenarios.map(({ name }) => name)
