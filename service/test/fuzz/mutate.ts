import type { Random } from '../simulation/world/random.ts'

const pieces = [
  ...['\r', '\n', '\r\n', '\r\n\r\n', '\0', '\t', ' ', ':', ',', ';', '"', '\\', '{', '}', '[', ']', '%', '?', '#'],
  ...[
    '\x7f',
    '\x80',
    '\xa0',
    '\xc2\xa0',
    '\xef\xbb\xbf',
    '\xe2\x80\xa8',
    '\xff',
    '\\u0000',
    '\\ud800',
    '1e999',
    '-0',
    'null',
  ],
  ...['"ids":', '"id":', '"__proto__":', 'Host: b\r\n', 'ApiKey: two\r\n', 'Content-Length: 4\r\n', ' HTTP/1.1\r\n'],
]

/** Changes a byte text in one to four places. Pieces may come from another text. */
export function mutate(random: Random, text: string, other: string): string {
  let result = text
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const at = random.below(result.length + 1)
    const behind = at + random.below(Math.min(8, result.length - at + 1))
    const from = random.below(other.length + 1)
    const put = [
      '',
      String.fromCharCode(random.below(256)),
      random.pick(pieces),
      other.slice(from, from + random.below(40)),
      result.slice(at, behind).repeat(2),
    ][random.below(5)]
    result = result.slice(0, at) + (put ?? '') + result.slice(behind)
  }
  return result.slice(0, 20_000)
}
