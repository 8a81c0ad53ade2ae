import { textOf } from './numbers.ts'
import { openPlayer, type EngineName } from './play-seeds.ts'
import { commandOf } from './spread-seeds.ts'

/** The maximum number of smaller runs to try. */
const triesAtMost = 250

interface Shrinking {
  steps: number
  engine: EngineName
  without: readonly string[]
}

/** Removes steps of a failing seed, many at once and then fewer, while it still breaks the same law. */
export async function shrink(seed: number, options: Shrinking): Promise<void> {
  const { steps, engine, without } = options
  const player = await openPlayer(engine)
  const whole = await player.play(seed, { steps, without })
  if (!whole.violation) return console.error(`seed ${seed} does not fail again`)
  const { law, step } = whole.violation
  let kept = Array.from({ length: Math.min(step + 1, steps) }, (_, index) => index)
  let tries = 0
  const stillBreaks = async (only: number[]) => {
    tries += 1
    return (await player.play(seed, { steps, without, only: new Set(only) })).violation?.law === law
  }
  for (let size = Math.ceil(kept.length / 2); size >= 1 && tries < triesAtMost; size = Math.floor(size / 2)) {
    for (let from = 0; from < kept.length && tries < triesAtMost;) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)]
      if (await stillBreaks(fewer)) kept = fewer
      else from += size
    }
  }
  await player.close()
  console.error(`seed ${seed} breaks the same law with ${kept.length} of ${steps} steps:`)
  console.error(`  ${commandOf(seed, options)} --only ${textOf(kept)}`)
}
