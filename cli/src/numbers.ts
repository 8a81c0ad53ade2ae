import { InvalidArgumentError } from 'commander'

/** Reads a whole number of an option. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Reads a whole number of an option, or a word that stands for none. It stays a word: commander makes '' of null. */
export function wholeNumberOr<const Word extends string>(word: Word): (text: string) => number | Word {
  return (text) => {
    if (text === word) return word
    if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError(`It must be a whole number, or ${word}.`)
    return Number(text)
  }
}

/** What the admin API wants in place of such a word. */
export function numberOrNull(given: number | string): number | null {
  return typeof given === 'number' ? given : null
}

/** Reads a whole number that may be negative. */
export function signedNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, with - to take away.')
  return Number(text)
}

/** Reads a number of days, fractions allowed. */
export function days(text: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text))
    throw new InvalidArgumentError('It must be a number of days such as 7 or 0.5.')
  return Number(text)
}
