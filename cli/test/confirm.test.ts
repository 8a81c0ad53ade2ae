import { expect, onTestFinished, test } from 'vitest'
import { startTestService } from '../../service/test/harness/test-service.ts'
import { atTerminal } from './at-terminal.ts'
import { program } from './vitae.ts'

test.skipIf(process.platform !== 'linux')(
  'at a terminal a destructive command asks, even if its output is piped or JSON; only --yes skips the question',
  async () => {
    const service = await startTestService({})
    onTestFinished(() => service.close())
    const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
    const vitae = `"${process.execPath}" "${program}"`
    const { keyId } = await service.newCaller(5)
    const revoked = async () =>
      (await service.admin<{ revoked_at: string | null }>('GET', `/keys/${keyId}`)).revoked_at !== null
    const revoke = `${vitae} keys revoke ${keyId}`

    const refused = await atTerminal(`${revoke} | cat`, 'n', env)
    const json = await atTerminal(`${revoke} --json 2>&1 | cat`, '', env)
    const afterNo = await revoked()
    const unasked = await atTerminal(`${revoke} --json < /dev/null`, 'n', env)
    const afterScript = await revoked()
    const sure = await atTerminal(`${revoke} --yes | cat`, 'n', env)

    expect(refused).toContain('fails from then on. (y/N)')
    expect(refused).toContain('Nothing was changed.')
    expect(json).toContain('Nothing was changed.')
    expect(afterNo).toBe(false)
    expect(unasked).not.toContain('(y/N)')
    expect(afterScript).toBe(true)
    expect(sure).not.toContain('(y/N)')
  },
)
