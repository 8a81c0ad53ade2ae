export const checkout: string
export function findBundle(): string | null
