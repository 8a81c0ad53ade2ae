/** Why a key is refused, each code once, by what has to change before it is accepted. */

/** The key has ended: nothing changes that. */
export const endedKey = ['revoked_api_key', 'expired_api_key'] as const

/** The project is closed, or may not spend. */
export const closedProject = ['project_suspended', 'billing_blocked'] as const

/** The key lacks a right. */
export const lackedRight = ['address_not_allowed', 'endpoint_not_allowed', 'part_not_allowed'] as const

/** The money of the key or of its environment does not suffice. */
export const outOfMoney = ['credit_ceiling_reached', 'out_of_credits'] as const

/** Every refusal that does not depend on money. */
export const keyRefusals = [...endedKey, ...closedProject, ...lackedRight] as const
export type KeyRefusal = (typeof keyRefusals)[number]
