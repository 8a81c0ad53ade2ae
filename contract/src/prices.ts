/** The conditions of a price line. */
export const priceMatchers = ['kind', 'by', 'source', 'thin', 'bypass', 'changed', 'project', 'environment'] as const
