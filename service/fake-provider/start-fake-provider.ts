import { FakeProvider, type FakeProviderOptions } from './fake-provider.ts'

/** Starts a fake provider on loopback. */
export async function startFakeProvider(options: FakeProviderOptions): Promise<FakeProvider> {
  const fake = new FakeProvider(options)
  await fake.listen(options.port ?? 0)
  return fake
}
