import { editDistance } from '../../foundation/text/nearest-name.ts'
import { foldText } from '../../foundation/text/fold-text.ts'
import { differInScript } from './compare-scripts.ts'

/*
 * These comparisons answer one question: can the two be the same? They say no only where nobody would call it a matter of
 * spelling, because a right person who is refused costs more than a wrong one who is let through to the other checks.
 */

/** Scripts whose letters can be compared one by one. For some others there is `compare-scripts.ts`. */
const alphabets = [/^[\p{Script=Latin}\d]+$/u, /^\p{Script=Cyrillic}+$/u, /^\p{Script=Greek}+$/u]

function rowsOf(table: string): string[][] {
  return table.split(/\n\s*/).map((row) => row.split(' '))
}

/** Short names that do not begin like the long ones, which stand first. */
const shortNames = rowsOf(`william bill billy will guillermo guillaume wilhelm
  robert bob bobby rob
  richard dick rick ricky
  edward ted ned eddie teddy
  theodore ted teddy fyodor fedor
  margaret peggy meg daisy greta rita
  elizabeth betty beth liz lisa libby bess isabel
  john jack ian sean ivan hans giovanni evan juan jean
  henry hank harry enrique enrico heinrich heinz
  charles chuck carlos karl carl
  alexander alexandra sasha sascha sandra xander iskander lex sandy
  james jim diego iago hamish giacomo
  antonia antonio anthony toni tony
  eugene evgeny yevgeny zhenya gene
  george yuri juri jorge giorgio yegor egor georg jerzy
  michael misha mick mike miguel
  maria masha polly molly
  katherine catherine ekaterina yekaterina katya kitty karen kate cathy
  helen elena yelena ellen lena nell eleanor
  anna nancy hannah nina ann
  joseph giuseppe pepe beppe yusuf jose josef osip
  xavier javier
  peter piotr pyotr petr boutros
  mary polly molly
  sarah sally
  dorothy dolly dot
  lawrence larry
  francis frank pancho paco kiko
  ignacio nacho
  philip pip felipe filippo
  stephen esteban etienne istvan stefan steve
  vladimir wladimir volodymyr uladzimir vova wolodymyr dima
  dmitri dima mitya
  johannes hannes hans jan johann
  jessica jess yessica
  wenzel vaclav wenceslaus
  laszlo ladislav vladislav`)

/** The words of a name, folded. */
export function nameWords(text: string): string[] {
  return foldText(text)
    .split(/[^\p{L}\p{N}]/u)
    .filter((word) => word !== '')
}

const titles = new Set(
  (
    'mr mrs ms miss mx dr prof professor sir dame lord lady rev reverend hon herr frau fru hr sr sra srta dott ing dipl mag mme mlle ' +
    'jr junior senior ii iii iv phd dphil md mba msc bsc ma ba ms bs mph jd llm llb esq cpa cfa pmp phr cissp rn dds pe med obe mbe'
  ).split(' '),
)

/** The words of a name without titles and degrees, unless nothing else is left. */
export function withoutTitles(name: string): string[] {
  const words = name.split(/[\s,]/u).filter((word) => word !== '')
  const meant = words.filter((word) => !titles.has(foldText(word).replaceAll('.', '')))
  return meant.length > 0 ? meant : words
}

/** Small words that half of a language's names have. */
const particles = new Set(
  'da das de del della den der des di dos du e el la las le los van von vom y zu zum al ibn bin ben bint abu ter ten af av'.split(
    ' ',
  ),
)

function withoutParticles(words: string[]): string[] {
  const meant = words.filter((word) => !particles.has(word))
  return meant.length > 0 ? meant : words
}

/** True where two words of names can be spellings of one: equal, an initial, a few letters apart, or sounding alike. */
export function maySpellTheSame(one: string, other: string): boolean {
  const alphabet = alphabetOf(one)
  if (!alphabet || alphabet !== alphabetOf(other)) return true
  if (one.length === 1 || other.length === 1) return one[0] === other[0]
  const [a, b] = [plain(one), plain(other)]
  if (Math.min(a.length, b.length) >= 4 && (a.startsWith(b) || b.startsWith(a))) return true
  if (soundOf(a) === soundOf(b)) return true
  return editDistance(a, b) <= Math.floor(Math.max(a.length, b.length) / 3)
}

function mayNameTheSame(one: string, other: string): boolean {
  return isRomanisedAlike(one, other) || (!differInScript(one, other) && maySpellTheSame(one, other))
}

/** True where the words of one name can stand for those of the other. */
export function namesMayAgree(given: string, known: string): boolean {
  const [one, other] = [nameWords(given), nameWords(known)]
  const [meant, itsMeant] = [withoutParticles(one), withoutParticles(other)]
  if (meant.some((word) => itsMeant.some((its) => mayNameTheSame(word, its)))) return true
  // Written together in one of the two: `van den Berg` and `Vandenberg`. A name without words is a part of every other.
  const [joined, its] = [plain(one.join('')), plain(other.join(''))]
  return joined.includes(its) || its.includes(joined)
}

/** As `namesMayAgree`; short forms and forms of other languages count, and so does the same first letter. */
export function firstNamesMayAgree(given: string, known: string): boolean {
  if (namesMayAgree(given, known)) return true
  const [one, other] = [nameWords(given), nameWords(known)]
  const forms = other.flatMap(formsOf)
  return one.flatMap(formsOf).some((a) => forms.some((b) => a[0] === b[0]))
}

/** A first name, and what it may be a form of, however that is spelled. */
function formsOf(name: string): string[] {
  return [name, ...shortNames.filter((all) => all.some((form) => isNear(form, name))).map(([whole]) => whole ?? '')]
}

function isNear(one: string, other: string): boolean {
  return editDistance(one, other) <= Math.floor(Math.max(one.length, other.length) / 3)
}

function alphabetOf(word: string): RegExp | undefined {
  return alphabets.find((alphabet) => alphabet.test(word))
}

/** Umlauts that are written out, and doubled letters. */
function plain(word: string): string {
  return word.replace(/(?<=[aou])e(?=.)/g, '').replace(/(.)\1+/gu, '$1')
}

const sounds: readonly [RegExp, string][] = [
  [/sch|sh|ch|tch|cz|sz|zh|ts|tz|[czsj]/g, 's'],
  // Before an h alone becomes a k.
  [/ph|[vwfbp]/g, 'f'],
  [/[dt]h?/g, 't'],
  [/kh|gh|[hgqkx]/g, 'k'],
  [/[aeiouy]/g, ''],
  [/(.)\1+/g, '$1'],
]

/** What is left of a word when transliterations of one sound are one letter and vowels are gone. */
function soundOf(word: string): string {
  const sound = sounds.reduce((text, [pattern, by]) => text.replace(pattern, by), word)
  // One letter says nothing.
  return sound.length < 2 ? word : sound
}

/*
 * One Chinese or Korean family name has as many Latin spellings as there are dialects and systems, and they look nothing alike.
 */
const spellings = rowsOf(`chen chan tan chin chern
  huang wong wang ng ooi hwang vong
  zhang cheung chang teo chong jang
  liu lau low ryu lew lieu yoo yu you lyu
  wu ng goh woo eng
  lin lam lim im rim yim
  li lee yi rhee ri lei rhie i yee
  zhou chow chou chew chau joo ju
  zheng cheng tay chung jeong jung joung
  xu hsu hui koh chee seo suh heo hur her
  xie hsieh tse chia cheah
  guo kwok kuo kwek quek gwak kwak
  cai tsai choi chua choy chae
  cui choi choe tsui
  ye yip yeh yap ip
  liang leung neo yang ryang leong
  he ho hoe ha
  zhao chao chiu jo cho
  lu loo luk lo noh roh ro no law luo
  zeng tsang chan tseng jeung
  xiao siu hsiao seow shiau
  park pak bak bahk piao
  kim gim jin kam
  quan kwon gwon kuen
  jiang kang gang keung chiang geung
  zhu chu choo ju joo
  hu wu woo oh aw
  yang yeung yong eo young
  su so soh soo
  feng fung pang foong
  deng tang teng dang`)

/** True where two folded words are known spellings of one such name. */
function isRomanisedAlike(one: string, other: string): boolean {
  return spellings.some((all) => all.includes(one) && all.includes(other))
}
