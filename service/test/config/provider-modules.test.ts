import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { loadProviderModules } from '../../src/config/load-provider-modules.ts'
import { useProviderModules } from '../../src/providers/registry.ts'

afterEach(() => useProviderModules([]))

/** The path of a module with the given code. */
function moduleOf(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-module-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'acme.mjs')
  writeFileSync(path, code)
  return path
}

const named = (
  name: string,
) => `export const provider = { name: '${name}', label: 'Acme', defaultUrl: 'https://acme.example',
  create: () => ({ name: '${name}', supplies: { people: new Set(), companies: new Set() }, projectionVersion: 1, ask() {}, project() {} }) }`

test('the provider of a module has settings and a place in the chain like any other', async () => {
  const env = {
    VITAE_PROVIDER_MODULES: moduleOf(named('acme')),
    ...{
      VITAE_UPSTREAM: 'acme,harvestapi',
      VITAE_ACME_KEY: 'k',
      VITAE_ACME_TIMEOUT_MS: '7',
      VITAE_HARVESTAPI_KEY: 'h',
    },
  }

  await loadProviderModules(env)
  const { chain, settings, chainOnNotFound } = readConfig(env).upstream

  expect(chain).toEqual(['acme', 'harvestapi'])
  expect(settings['acme']).toMatchObject({ key: 'k', timeoutMs: 7 })
  expect(chainOnNotFound).toBe(true)
})

test('with one provider, or if the operator says so, a "not found" asks no other provider', () => {
  const one = { VITAE_UPSTREAM: 'harvestapi', VITAE_HARVESTAPI_KEY: 'h' }
  const two = { VITAE_UPSTREAM: 'harvestapi,directory', VITAE_HARVESTAPI_KEY: 'h', VITAE_CHAIN_ON_NOT_FOUND: 'false' }

  expect([one, two].map((env) => readConfig(env).upstream.chainOnNotFound)).toEqual([false, false])
})

test.each([
  ['is not there', () => './no-such-module.ts', /names \.\/no-such-module\.ts: it cannot be loaded: [^\n]+$/],
  [
    'breaks while it loads',
    () => moduleOf('throw new Error("out of tides")'),
    /acme\.mjs: it cannot be loaded: out of tides$/,
  ],
  [
    'exports nothing',
    () => moduleOf('export const other = 1'),
    /acme\.mjs: it is not a provider: it exports no object "provider"$/,
  ],
  ['has the name of one of ours', () => moduleOf(named('coresignal')), /called coresignal: that name is taken$/],
  ['would take settings of the service', () => moduleOf(named('upstream')), /called upstream: that name is taken$/],
  ['comes twice', () => [moduleOf(named('acme')), moduleOf(named('acme'))].join(), /called acme: that name is taken$/],
])('a module that %s stops the start with a one-line message that names it', async (_name, specifier, line) => {
  await expect(loadProviderModules({ VITAE_PROVIDER_MODULES: specifier() })).rejects.toThrow(line)
})
