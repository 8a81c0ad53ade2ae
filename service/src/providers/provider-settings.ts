/** Where a provider is reached and with which key. */
export type ProviderSettings = { url: string; key: string }
