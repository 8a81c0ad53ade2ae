const get = 'GET /v1/people/profile?profile_id=ada HTTP/1.1\r\n'
const host = 'Host: localhost\r\n'

/** Requests that are malformed, or that two parsers may read differently. */
const requests: Record<string, string> = {
  'nothing but line ends': '\r\n\r\n\r\n',
  'no version': 'GET /healthz\r\n\r\n',
  'an old version': `GET /healthz HTTP/1.0\r\n\r\n`,
  'a future version': `GET /healthz HTTP/3.7\r\n${host}\r\n`,
  'no host': `${get}\r\n`,
  'two hosts': `${get}${host}Host: example.net\r\n\r\n`,
  'bare line feeds': `${get}${host}\r\n`.replaceAll('\r\n', '\n'),
  'bare carriage returns': `${get}${host}\r\n`.replaceAll('\r\n', '\r'),
  'a space before the colon': `${get}Host : localhost\r\n\r\n`,
  'a header without a name': `${get}${host}: value\r\n\r\n`,
  'a header without a colon': `${get}${host}NoColon\r\n\r\n`,
  'a folded header': `${get}${host}X-Folded: one\r\n two\r\n\r\n`,
  'a zero in a header': `${get}${host}X-Zero: a\0b\r\n\r\n`,
  'bytes above ASCII in a header': `${get}${host}X-High: \xe9\xff\r\n\r\n`,
  'bytes above ASCII in a name': `${get}${host}X-\xe9: a\r\n\r\n`,
  'a control character in the path': `GET /v1/\x01 HTTP/1.1\r\n${host}\r\n`,
  'a tab in the request line': `GET\t/healthz\tHTTP/1.1\r\n${host}\r\n`,
  'two spaces in the request line': `GET  /healthz  HTTP/1.1\r\n${host}\r\n`,
  'an unknown method': `FETCH /healthz HTTP/1.1\r\n${host}\r\n`,
  'a method in small letters': `get /healthz HTTP/1.1\r\n${host}\r\n`,
  'an absolute target': `GET http://example.net/healthz HTTP/1.1\r\n${host}\r\n`,
  'a target without a slash': `GET healthz HTTP/1.1\r\n${host}\r\n`,
  'a star': `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
  'a tunnel': `CONNECT example.net:443 HTTP/1.1\r\n${host}\r\n`,
  'two lengths': `${get}${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  'a negative length': `${get}${host}Content-Length: -1\r\n\r\n`,
  'a length of letters': `${get}${host}Content-Length: ten\r\n\r\n`,
  'a length beyond all numbers': `${get}${host}Content-Length: 99999999999999999999\r\n\r\n`,
  'a length and chunks': `POST /v1/x HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks of letters': `POST /v1/x HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
  'a chunk that is too large': `POST /v1/x HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n`,
  'an unknown encoding': `POST /v1/x HTTP/1.1\r\n${host}Transfer-Encoding: cow\r\n\r\n`,
  'an upgrade': `${get}${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  'an expectation': `${get}${host}Expect: 100-continue\r\n\r\n`,
  'the start of TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
}

export const ownRequests = Object.entries(requests).map(([name, text]) => ({
  name,
  bytes: Buffer.from(text, 'latin1'),
}))
