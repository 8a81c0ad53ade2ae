import { isOpaqueId } from '../identifier.ts'

/**
 * The member number inside an opaque member id; null unless the id has the one known form. `ACoAA...` is base64url of
 * 29 bytes: 0x002a, the number in six bytes, 0x01, and a 20-byte digest. The platform does not document this, so the
 * code checks every byte that it can. The number lets two providers agree on the same person.
 */
export function memberNumberOf(opaqueId: string | null): string | null {
  if (opaqueId === null || !isOpaqueId(opaqueId)) return null
  const bytes = Buffer.from(opaqueId, 'base64url')
  if (bytes.length !== 29 || bytes.readUInt16BE(0) !== 0x002a || bytes[8] !== 1) return null
  const number = bytes.readUIntBE(2, 6)
  return number > 0 ? String(number) : null
}
