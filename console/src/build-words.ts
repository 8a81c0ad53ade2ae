declare const __HEADER_WORDS__: Record<string, string>
declare const __FAILURE_WORDS__: Record<string, string>
declare const __PRICE_MATCHERS__: readonly string[]

/** What each response header means, by its name, in the words of the contract. */
export const headerWords = __HEADER_WORDS__

/** What each failure code means, in the words of the contract. */
export const failureWords = __FAILURE_WORDS__

/** What a line of a price book may match on. */
export const priceMatchers = __PRICE_MATCHERS__
