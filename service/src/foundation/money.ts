const millionths = 1_000_000

/** A configured amount, which has at most six decimals, in millionths. */
export function inMillionths(amount: number): bigint {
  return BigInt(Math.round(amount * millionths))
}

/** Millionths as an exact decimal without trailing zeros: `12.5`. */
export function decimalOf(amount: bigint): string {
  const [sign, digits] = amount < 0n ? ['-', String(-amount)] : ['', String(amount)]
  const whole = digits.padStart(7, '0')
  const fraction = whole.slice(-6).replace(/0+$/, '')
  return `${sign}${whole.slice(0, -6)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Parses a decimal written by `decimalOf`. */
export function millionthsOf(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(`${whole}${fraction.padEnd(6, '0')}`)
}

/** A number of credits in words: `1 credit`, `2 credits`. */
export function creditsText(credits: number): string {
  return credits === 1 ? '1 credit' : `${credits} credits`
}
