import { imageUrl } from '../mapping/image-url.ts'

/** An image address; one of the data sets puts the image itself there, as base64. */
export function pictureUrl(value: unknown): string | null {
  const url = imageUrl(value)
  return url !== null && /^https?:\/\//i.test(url) ? url : null
}
