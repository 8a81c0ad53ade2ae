/**
 * The possible sounds of each group of letters in different languages. Vowels have no sound. The longest group wins.
 */
const groups: readonly [letters: string, sounds: readonly string[]][] = [
  ['tsch', ['C']],
  ['tch', ['C']],
  ['sch', ['S']],
  ['sh', ['S']],
  ['sz', ['S', 's']],
  ['cz', ['C']],
  ['ch', ['C', 'k', 'S', 'h']],
  ['zh', ['Z']],
  ['kh', ['h', 'k']],
  ['gh', ['g', 'h']],
  ['ph', ['f']],
  ['th', ['t']],
  ['dt', ['t']],
  ['ck', ['k']],
  ['dj', ['Z', 'd']],
  ['dz', ['Z', 'z']],
  ['ts', ['T', 's']],
  ['tz', ['T', 's']],
  ['ks', ['ks']],
  ['x', ['ks', 'h']],
  ['c', ['k', 's', 'T', 'C']],
  ['z', ['z', 'T', 'Z', 's']],
  ['j', ['', 'Z', 'h']],
  ['g', ['g', 'h', '']],
  ['h', ['', 'h', 'g']],
  ['q', ['k']],
  ['v', ['f']],
  ['w', ['f', '']],
]
const vowel = /[aeiouy]/

const soundsAtMost = 128

/** The possible pronunciations of a Latin word: its consonants, and whether it begins with a vowel. */
export function soundsOf(word: string): ReadonlySet<string> {
  let ways = new Set([''])
  for (let at = 0; at < word.length;) {
    const [letters, sounds] = groupAt(word, at)
    const next = new Set<string>()
    for (const way of ways) for (const sound of sounds) if (next.size < soundsAtMost) next.add(appended(way, sound))
    ways = next
    at += letters.length
  }
  return ways
}

function groupAt(word: string, at: number): readonly [string, readonly string[]] {
  const group = groups.find(([letters]) => word.startsWith(letters, at))
  // At the beginning of a word an h or a g is always pronounced.
  if (group) return at === 0 && /^[gh]$/.test(group[0]) ? [group[0], group[1].filter((sound) => sound !== '')] : group
  const letter = word[at] ?? ''
  if (!vowel.test(letter)) return [letter, [letter]]
  return [letter, [at === 0 ? 'a' : '']]
}

/** A doubled sound counts once; a silent first letter leaves the vowel after it. */
function appended(way: string, sound: string): string {
  if (sound === '' && way === '') return 'a'
  return sound !== '' && way.endsWith(sound) ? way : way + sound
}

/** True if the two share a pronunciation with at least this many consonants. */
export function soundAlike(one: string, other: string, atLeast: number): boolean {
  const its = soundsOf(other)
  for (const way of soundsOf(one)) if (way.length >= atLeast && its.has(way)) return true
  return false
}
