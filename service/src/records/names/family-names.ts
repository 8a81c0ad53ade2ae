/*
 * A Chinese or Korean family name has different Latin spellings per dialect and system, and they may look nothing
 * alike.
 */
const spellings = `chen chan tan chin chern
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
  deng tang teng dang`
  .split(/\n\s*/)
  .map((row) => row.split(' '))

/** True if two folded words are known spellings of one such name. */
export function isRomanisedAlike(one: string, other: string): boolean {
  return spellings.some((all) => all.includes(one) && all.includes(other))
}
