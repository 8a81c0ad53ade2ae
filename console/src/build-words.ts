declare const __HEADER_WORDS__: Record<string, string>
declare const __FAILURE_WORDS__: Record<string, string>
declare const __PRICE_MATCHERS__: readonly string[]

/** The meaning of each response header, by name, taken from the contract at build time. */
export const headerWords = __HEADER_WORDS__

/** The meaning of each failure code, taken from the contract at build time. */
export const failureWords = __FAILURE_WORDS__

/** The fields that a line of a price book can match on. */
export const priceMatchers = __PRICE_MATCHERS__
