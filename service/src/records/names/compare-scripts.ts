import { editDistance } from '../../foundation/text/nearest-name.ts'

/*
 * Scripts with rules other than those of the alphabets. A name in one of them has one spelling, apart from the variants
 * below. Only names in the same script are compared.
 */

interface Script {
  letters: RegExp
  /** Maps spellings of one name to the same text. */
  tidy: (word: string) => string
  mayAgree: (one: string, other: string) => boolean
}

/** Characters with two or three written forms: traditional, simplified, Japanese. */
const variants = (
  '張张 陳陈 劉刘 楊杨 黃黄 趙赵 吳吴 孫孙 馬马 羅罗 鄭郑 謝谢 韓韩 馮冯 許许 鄧邓 蕭萧肖 葉叶 呂吕 ' +
  '蘇苏 盧卢 蔣蒋 賈贾 鍾鐘钟 譚谭 陸陆 範范 韋韦 鄒邹 龍龙竜 萬万 龔龚 閻阎闫 錢钱 湯汤 賴赖 顏颜顔 ' +
  '莊庄 聶聂 關关関 歐欧 齊齐斉齋斋斎 嚴严厳 華华 連连 單单 傅付 戴代 喬乔 寧宁 駱骆 魯鲁 紀纪 應应 ' +
  '樂乐楽 藍蓝 閔闵 餘余 畢毕 賀贺 習习 鮑鲍 溫温 譯译 偉伟 麗丽 國国 強强 軍军 傑杰 輝辉 飛飞 鵬鹏 ' +
  '勳勋 東东 興兴 榮荣栄 貴贵 財财 義义 禮礼 慶庆 鳳凤 蘭兰 蓮莲 雲云 鳴鸣 詩诗 語语 誠诚 謙谦 讓让譲 ' +
  '賢贤 銘铭 鋒锋 鈴铃 銀银 鐵铁鉄 鎮镇 鋼钢 錦锦 長长 門门 開开 陽阳 階阶 靜静 韻韵 順顺 穎颖 願愿 ' +
  '風风 驥骥 騰腾 鴻鸿 麥麦 齡龄齢 澤泽沢 濱滨浜 廣广広 櫻樱桜 眞真 惠恵 邊边辺邉 髙高 﨑崎碕 嶋島岛 濤涛 ' +
  '潔洁 滿满満 漢汉 瑤瑶 瓊琼 環环 療疗 發发発 盡尽 碩硕 祿禄 稱称 穩稳 競竞 筆笔 節节 簡简 糧粮 紅红 ' +
  '純纯 紹绍 維维 綺绮 綠绿緑 績绩 繼继継 羨羡 聖圣 聰聪 聲声 職职 臨临 艷艳 藝艺芸 薩萨 虛虚 號号 衛卫 ' +
  '裝装 見见 親亲 觀观観 記记 詠咏 調调 諾诺 議议 豐丰豊 貞贞 質质 車车 輪轮 運运 達达 遠远 選选 遲迟 ' +
  '鄉乡 鄰邻 醫医 釋释釈 鈞钧 鑒鉴 閃闪 閣阁 陰阴 隨随 際际 雋隽 雙双 難难 電电 響响 項项 題题 顧顾 ' +
  '類类 館馆 駿骏 魚鱼 鶴鹤 黨党 龜龟亀 來来 倫伦 儀仪 億亿 優优 凱凯 劍剑剣 勁劲 勝胜 勵励 區区 協协 ' +
  '卻却 員员 問问 啟启啓 喚唤 園园 團团団 圖图図 執执 堅坚 壽寿 夢梦 奧奥 妍姸 娛娱 學学 實实実 寬宽寛 ' +
  '寶宝 將将 專专 對对対 導导 屆届 岡冈 嶺岭 巖岩 幹干 庫库 廉亷 彥彦 後后 徑径 從从従 愛爱 憲宪 懷怀 ' +
  '戀恋 戰战 擇择 擴扩 據据 攝摄 數数 斷断 時时 晉晋 晝昼 曉晓暁 曄晔 曆历 書书 會会 朧胧 條条 棟栋 ' +
  '極极 楓枫 業业 構构 樓楼 標标 樞枢 樸朴 樹树 橋桥 機机 權权権 歡欢 歲岁 殘残 氣气気 瀧滝泷 瀨濑瀬'
).split(' ')

const standFor = new Map(variants.flatMap((all) => Array.from(all, (letter): [string, string] => [letter, all])))

const isPart = (one: string, other: string) => one.includes(other) || other.includes(one)
const lettersApart = (share: number) => (one: string, other: string) =>
  isPart(one, other) || editDistance(one, other) <= Math.floor(Math.max(one.length, other.length) / share)

const scripts: readonly Script[] = [
  {
    letters: /^\p{Script=Han}+$/u,
    tidy: (word) => Array.from(word, (letter) => standFor.get(letter) ?? letter).join(''),
    // Names have two to four characters, so one common character is enough.
    mayAgree: (one, other) => Array.from(one).some((letter) => other.includes(letter)),
  },
  {
    // Folded syllables are letters. North and South Korea begin some names differently: `ri` and `i`.
    letters: /^\p{Script=Hangul}+$/u,
    tidy: (word) => word.replace(/^[\u1102\u1105]/u, '\u110b'),
    mayAgree: lettersApart(4),
  },
  {
    letters: /^[\p{Script=Hiragana}\p{Script=Katakana}\u30fc]+$/u,
    tidy: (word) =>
      word
        .replaceAll('\u30fc', '')
        .replace(/\p{Script=Hiragana}/gu, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0x60)),
    mayAgree: lettersApart(3),
  },
  {
    // The article, and letters that Arabic, Persian and Urdu write differently.
    letters: /^\p{Script=Arabic}+$/u,
    tidy: (word) =>
      word
        .replace(/^\u0627\u0644(?=...)/u, '')
        .replaceAll('\u0629', '\u0647')
        .replace(/[\u0649\u06cc]/gu, '\u064a')
        .replaceAll('\u06a9', '\u0643'),
    mayAgree: lettersApart(3),
  },
]

/** True if two folded words are in the same one of these scripts and cannot belong to one person. */
export function differInScript(one: string, other: string): boolean {
  const script = scripts.find(({ letters }) => letters.test(one))
  return script !== undefined && script.letters.test(other) && !script.mayAgree(script.tidy(one), script.tidy(other))
}
