import type { Page } from 'playwright-core'

/**
 * The runs of pixel columns of the first chart that have a colour of the console, from and to as a share of the scale's
 * width.
 */
export function columnsOf(page: Page, colour: string): Promise<[from: number, to: number][]> {
  return page.evaluate((name) => {
    const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas')
    const scale = document.querySelector('.chart .u-over')?.getBoundingClientRect()
    const probe = document.createElement('span')
    probe.style.setProperty('color', `var(${name})`)
    document.body.append(probe)
    const wanted = getComputedStyle(probe).color
    probe.remove()
    const sample = document.createElement('canvas').getContext('2d')
    const context = canvas?.getContext('2d')
    if (!canvas || !sample || !context || !scale) throw new Error('no chart was drawn')
    sample.fillStyle = wanted
    sample.fillRect(0, 0, 1, 1)
    const [red, green, blue] = sample.getImageData(0, 0, 1, 1).data
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
    const columns = new Set<number>()
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255)
        columns.add((at / 4) % canvas.width)
    }
    const { left } = canvas.getBoundingClientRect()
    const share = (x: number) => (x / devicePixelRatio + left - scale.left) / scale.width
    const runs: [number, number][] = []
    for (const x of [...columns].toSorted((a, b) => a - b)) {
      const last = runs.at(-1)
      if (last?.[1] === x) last[1] = x + 1
      else runs.push([x, x + 1])
    }
    return runs.map(([from, to]): [number, number] => [share(from), share(to)])
  }, colour)
}
