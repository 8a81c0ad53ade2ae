import type { FixedValues } from '../../src/config/fixed-values.ts'
import type { serve as Serve } from '../../src/main.ts'
import { fromBundle } from './from-bundle.ts'

/** `vitae serve` with other fixed values, which are the first argument. */
const [text = '{}', ...flags] = process.argv.slice(2)
const main = fromBundle(new URL('../../src/main.ts', import.meta.url).href)
const { serve } = (await import(main)) as { serve: typeof Serve }
await serve({ demo: flags.includes('--demo'), fixed: JSON.parse(text) as Partial<FixedValues> })
