import { expect, test } from 'vitest'
import { siteDomain } from '../../../src/records/identifiers/site-domain.ts'

test.each([
  ['example.com', 'example.com', 'example.com'],
  ['  https://www.Example.com/about?x=1#y ', 'example.com', 'example.com'],
  ['HTTP://shop.example.co.uk:8080/', 'shop.example.co.uk', 'example.co.uk'],
  ['//example.com/x', 'example.com', 'example.com'],
  ['example.com./', 'example.com', 'example.com'],
  ['https://user@example.com/', 'example.com', 'example.com'],
  ['www.example.com', 'example.com', 'example.com'],
  ['wwwexample.com', 'wwwexample.com', 'wwwexample.com'],
  ['a.www.example.com', 'a.www.example.com', 'example.com'],
  ['www.com', 'www.com', 'www.com'],
  ['https://team.github.io/x', 'team.github.io', 'team.github.io'],
  ['bücher.example', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['example.com//a', 'example.com', 'example.com'],
  ['example.com/http://x', 'example.com', 'example.com'],
])('%s is the host %s of the domain %s', (text, host, domain) => {
  expect(siteDomain(text)).toEqual({ host, domain })
})

test.each([
  ['nothing', ''],
  ['an address of mail', 'ada@example.com'],
  ['another scheme', 'ftp://example.com'],
  ['a scheme with a plus', 'git+https://example.com'],
  ['a blank inside', 'https://example.com/a b'],
  ['a backslash', 'https:\\\\example.com'],
  ['a backslash in the path', 'https://example.com/a\\b'],
  ['an IP address', 'https://192.0.2.7/'],
  ['an IP address of version 6', 'https://[2001:db8::1]/'],
  ['a public suffix', 'co.uk'],
  ['a hosting suffix', 'github.io'],
  ['a name without a domain', 'localhost'],
  ['no URL', 'https://'],
])('%s has no site', (_, text) => {
  expect(siteDomain(text)).toBeNull()
})
