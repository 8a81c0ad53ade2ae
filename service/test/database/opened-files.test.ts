import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWatchedService } from '../harness/watched-service.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0
if (!hasStrace) console.warn('NOT RUN: which files the service opens, because there is no strace on this machine.')

test.skipIf(!hasStrace)(
  'only SQLite opens files of the store in the serving process, and only to write, whatever an operator does',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitae-strace-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const opened = join(folder, 'opened.txt')
    // The tracer runs beside the service and ignores its children, which are not serving processes.
    const strace = ['strace', '-D', '-f', '-b', 'execve', '-qq', '-e', 'trace=open,openat,openat2,creat', '-o', opened]
    const service = await openWatchedService({ VITAE_BACKUP_DIR: join(folder, 'backups') }, [], strace)
    const { key } = await service.makeKey()
    const ask = (id: string) => fetch(`${service.url}/v1/people/profile?profile_id=${id}`, { headers: { ApiKey: key } })
    for (const id of ['ada', 'bea', 'cleo']) expect((await ask(id)).status).toBe(200)

    await service.admin('POST', '/records/people/ada/erase', { reason: 'asked for' })
    const { path } = await service.admin<{ path: string }>('POST', '/backups', {})
    await service.admin('POST', `/backups/${basename(path)}/verify`, {})
    await service.admin('GET', '/doctor')
    await service.admin('GET', '/ledger/verify')
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    expect((await fetch(`${service.url}/metrics`)).status).toBe(200)
    expect((await ask('bea')).status).toBe(200)
    await service.end()

    const opens = readFileSync(opened, 'utf8').split('\n')
    const ofStore = opens.filter((line) => /\/data\/vitae\.db(-wal|-shm)?"/.test(line))
    // SQLite opens with O_NOFOLLOW, and Node's functions do not.
    const [bySqlite, others] = [true, false].map((is) => ofStore.filter((line) => line.includes('O_NOFOLLOW') === is))
    expect(others).toEqual([])
    expect(bySqlite?.length).toBeGreaterThanOrEqual(3)
    // Long reads, such as a backup, run in a process of low priority.
    expect(bySqlite?.filter((line) => line.includes('O_RDONLY'))).toEqual([])
  },
)
