import { InvalidArgumentError } from 'commander'

/** Parses an option as a whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Parses an option as a whole number or a word for "none". The word stays, because commander turns null into ''. */
export function wholeNumberOr<const Word extends string>(word: Word): (text: string) => number | Word {
  return (text) => {
    if (text === word) return word
    if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError(`It must be a whole number, or ${word}.`)
    return Number(text)
  }
}

/** Turns such a word into null, as the admin API expects. */
export function numberOrNull(given: number | string): number | null {
  return typeof given === 'number' ? given : null
}

/** Parses a whole number that may be negative. */
export function signedNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number; a leading - subtracts.')
  return Number(text)
}

/** Parses a number of days, which may have a fraction. */
export function days(text: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text))
    throw new InvalidArgumentError('It must be a number of days such as 7 or 0.5.')
  return Number(text)
}
