/** What a line of a price book may match on. */
export const priceMatchers = ['kind', 'by', 'source', 'thin', 'bypass', 'changed', 'project', 'environment'] as const
