import { MessageChannel } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createMessageBatch } from '../../src/database/sqlite/connection/store-messages.ts'

test.each([false, true])(
  'messages of one turn are sent together (first at once: %s), and an unsendable one affects no other',
  async (firstAtOnce) => {
    const { port1, port2 } = new MessageChannel()
    onTestFinished(() => port1.close())
    const post = createMessageBatch(port1, { atEndOfTurn: setImmediate, firstAtOnce })
    const refused: string[] = []
    const say = (name: string, message: unknown) => post({ message, handedOver: [], refuse: () => refused.push(name) })

    const heard: unknown[] = []
    port2.on('message', (message) => heard.push(message))

    for (const name of ['first', 'second', 'third']) say(name, name)
    await expect.poll(() => heard.flat()).toHaveLength(3)
    const together = heard.splice(0)
    for (const name of ['fourth', 'fifth']) say(name, name)
    say('a function', () => undefined)
    say('sixth', 'sixth')
    await expect.poll(() => heard.flat()).toHaveLength(3)

    expect(together).toEqual(firstAtOnce ? [['first'], ['second', 'third']] : [['first', 'second', 'third']])
    expect(heard).toEqual([['fourth'], ['fifth'], ['sixth']])
    expect(refused).toEqual(['a function'])
  },
)
