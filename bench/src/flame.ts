/**
 * Draws a CPU profile as a flame graph: `node bench/src/flame.ts PROFILE.cpuprofile PICTURE.svg [TITLE]`. The width of
 * a box is its share of the time; the boxes below it are the functions it called. Idle time and the first seconds, in
 * which the process loads its modules, are left out.
 */
import { readFileSync, writeFileSync } from 'node:fs'

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

interface Frame {
  name: string
  place: string
  ms: number
  children: Map<string, Frame>
}

const width = 1_200
const rowHeight = 16
const narrowest = 2
const rowsAtMost = 28
const startMs = 6_000
const colours = { ours: '#2f7d6d', node: '#8a8f98', library: '#c58b3b', engine: '#b9bec6' }

function frameOf(name: string, place: string): Frame {
  return { name, place, ms: 0, children: new Map() }
}

/** Sums the samples into one tree by name. The same function called from the same place is one box. */
function readFrames({ nodes, samples, timeDeltas }: Profile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const root = frameOf('all', '')
  let elapsedMs = 0
  for (const [index, sample] of samples.entries()) {
    const ms = (timeDeltas[index] ?? 0) / 1_000
    elapsedMs += ms
    if (elapsedMs < startMs) continue
    const path: Frame[] = []
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const { functionName = '', url = '' } = byId.get(id)?.callFrame ?? {}
      if (functionName !== '(root)') path.unshift(frameOf(functionName || '(anonymous)', url))
    }
    if (path.at(-1)?.name === '(idle)') continue
    let at = root
    at.ms += ms
    for (const { name, place } of path) {
      const key = `${name} ${place}`
      const next = at.children.get(key) ?? frameOf(name, place)
      at.children.set(key, next)
      next.ms += ms
      at = next
    }
  }
  return root
}

function colourOf({ place }: Frame): string {
  if (place.includes('node_modules')) return colours.library
  if (place.startsWith('node:')) return colours.node
  return place === '' ? colours.engine : colours.ours
}

function draw(root: Frame, title: string): string {
  const boxes: string[] = []
  let depth = 0
  const place = (frame: Frame, x: number, row: number): void => {
    const boxWidth = (frame.ms / root.ms) * width
    if (boxWidth < narrowest || row > rowsAtMost) return
    depth = Math.max(depth, row)
    const share = `${((100 * frame.ms) / root.ms).toFixed(1)} %`
    const label = boxWidth > 40 ? frame.name.slice(0, Math.floor(boxWidth / 6.5)) : ''
    const y = 30 + row * rowHeight
    boxes.push(
      `<g><title>${escaped(`${frame.name} ${share}`)}</title><rect x="${x.toFixed(1)}" y="${y}" width="${boxWidth.toFixed(1)}" ` +
        `height="${rowHeight - 1}" fill="${colourOf(frame)}"/><text x="${(x + 3).toFixed(1)}" y="${y + 11}">${escaped(label)}</text></g>`,
    )
    let left = x
    for (const child of [...frame.children.values()].toSorted((a, b) => b.ms - a.ms)) {
      place(child, left, row + 1)
      left += (child.ms / root.ms) * width
    }
  }
  place(root, 0, 0)
  const height = 50 + depth * rowHeight
  const legend = `${title} (green: Vitae, grey: Node, amber: libraries, light: engine and garbage collection)`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="10">` +
    `<rect width="100%" height="100%" fill="#fff"/><text x="4" y="18" font-size="13">${escaped(legend)}</text>${boxes.join('\n')}</svg>\n`
  )
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const [source, target, title = 'CPU time'] = process.argv.slice(2)
if (source === undefined || target === undefined) {
  console.error('usage: node bench/src/flame.ts PROFILE.cpuprofile PICTURE.svg [TITLE]')
  process.exit(2)
}
writeFileSync(target, draw(readFrames(JSON.parse(readFileSync(source, 'utf8')) as Profile), title))
