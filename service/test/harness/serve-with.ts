import type { FixedValues } from '../../src/config/fixed-values.ts'
import { serve } from '../../src/main.ts'

/** `vitae serve` with other fixed values, which are the first argument. */
const [text = '{}', ...flags] = process.argv.slice(2)
await serve({ demo: flags.includes('--demo'), fixed: JSON.parse(text) as Partial<FixedValues> })
