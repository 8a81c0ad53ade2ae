/** A name in its own script, and in Latin letters for slugs. */
export interface Name {
  text: string
  latin: string
}

export interface Place {
  country: string
  code: string
  currency: string
  language: string
  /** City, area and postal code. */
  cities: [city: string, area: string, postalCode: string][]
  streets: string[]
  firstNames: Name[]
  lastNames: Name[]
  /** Company groups named in the script of the place. */
  groups: Name[]
  schools: Name[]
  /** Mottos in the language of the place. */
  mottos: string[]
}

/**
 * Parses `text:latin` pairs between semicolons, because a name may contain a comma; without a colon, the name is its
 * own Latin form.
 */
const names = (pairs: string): Name[] =>
  pairs.split('; ').map((pair) => {
    const [text = '', latin = text] = pair.split(':')
    return { text, latin }
  })

export const places: readonly Place[] = [
  {
    country: 'United States',
    code: 'US',
    currency: 'usd',
    language: 'English',
    cities: [
      ['Portland', 'Oregon', '97205'],
      ['Pittsburgh', 'Pennsylvania', '15222'],
      ['Durham', 'North Carolina', '27701'],
    ],
    streets: ['410 Sample Street', '88 Placeholder Avenue'],
    firstNames: names('Maya; Elliot; Rosalind; Marcus; June; Theodore; Naomi; Caleb'),
    lastNames: names('Whitlock; Harrow; Delacroix; Pemberton; Okonski; Varga; Linden; Ashdown'),
    groups: names('Blue Heron Holdings; Copper Ridge Partners'),
    schools: names('Cascadia Example University; Three Rivers Institute of Example Studies'),
    mottos: ['Careful work, clearly explained', 'Small teams, long horizons', 'Always teaching, always learning'],
  },
  {
    country: 'United Kingdom',
    code: 'GB',
    currency: 'gbp',
    language: 'English',
    cities: [
      ['Leeds', 'England', 'LS1 4AP'],
      ['Glasgow', 'Scotland', 'G2 1AL'],
      ['Cardiff', 'Wales', 'CF10 1EP'],
    ],
    streets: ['12 Specimen Row', '5 Model Lane'],
    firstNames: names('Imogen; Rhys; Priya; Alasdair; Beatrice; Kwame; Niamh; Oliver'),
    lastNames: names('Fairweather; Penhallow; Strand; MacIver; Thistlewood; Boateng; Larkin; Hollis'),
    groups: names('Longshore & Fell; Kittiwake Group'),
    schools: names('University of Exampleshire; Strathsample College'),
    mottos: ['Plain English, honest numbers', 'Making complicated things dull', 'Happiest near a whiteboard'],
  },
  {
    country: 'Germany',
    code: 'DE',
    currency: 'eur',
    language: 'German',
    cities: [
      ['Hamburg', 'Hamburg', '20457'],
      ['Leipzig', 'Saxony', '04109'],
      ['Freiburg', 'Baden-Württemberg', '79098'],
    ],
    streets: ['Musterstraße 7', 'Beispielallee 21'],
    firstNames: names('Jürgen:jurgen; Annika; Thorsten; Käthe:kathe; Leonie; Matthias; Frieda; Emre'),
    lastNames: names(
      'Grünwald:grunwald; Lüttich:luttich; Hagedorn; Sommerfeld; Weißkirch:weisskirch; Özkan:ozkan; Brandt; Achterberg',
    ),
    groups: names('Hansewerk Gruppe:hansewerk; Mühlbach & Töchter:muhlbach'),
    schools: names('Technische Hochschule Musterstadt; Universität Beispielburg:universitat-beispielburg'),
    mottos: [
      'Gute Werkzeuge machen gute Arbeit',
      'Erst verstehen, dann bauen',
      'Ich mag Probleme, die man anfassen kann',
    ],
  },
  {
    country: 'Brazil',
    code: 'BR',
    currency: 'brl',
    language: 'Portuguese',
    cities: [
      ['Recife', 'Pernambuco', '50030-230'],
      ['Curitiba', 'Paraná', '80020-310'],
      ['Belo Horizonte', 'Minas Gerais', '30130-010'],
    ],
    streets: ['Rua do Exemplo, 120', 'Avenida Modelo, 45'],
    firstNames: names('João:joao; Luísa:luisa; Thiago; Conceição:conceicao; Rafael; Iara; Otávio:otavio; Marina'),
    lastNames: names(
      'Araújo:araujo; Figueiró:figueiro; Guimarães:guimaraes; Lacerda; Vasconcelos; Tavares; Monteiro; Sobral',
    ),
    groups: names('Grupo Maré Alta:grupo-mare-alta; Ipê Amarelo Participações:ipe-amarelo'),
    schools: names('Universidade Modelo do Nordeste; Instituto Exemplo de Tecnologia'),
    mottos: ['Tecnologia com os pés no chão', 'Gente primeiro, planilha depois', 'Aprendendo em público'],
  },
  {
    country: 'Nigeria',
    code: 'NG',
    currency: 'ngn',
    language: 'Yoruba',
    cities: [
      ['Lagos', 'Lagos State', '101233'],
      ['Ibadan', 'Oyo State', '200273'],
      ['Enugu', 'Enugu State', '400001'],
    ],
    streets: ['14 Example Close', '3 Sample Crescent'],
    firstNames: names('Adébáyọ̀:adebayo; Chiamaka; Ọlámídé:olamide; Ifeoma; Tunde; Zainab; Emeka; Fọlákẹ́:folake'),
    lastNames: names('Adéyẹmí:adeyemi; Nwachukwu; Ọlátúnjí:olatunji; Eze; Balogun; Danjuma; Okeke; Shittu'),
    groups: names('Harmattan Ventures; Ilé Ọ̀nà Group:ile-ona'),
    schools: names('Niger Delta Example University; Polytechnic of Sample City'),
    mottos: ['Building for the next hundred million users', 'Iṣẹ́ ni oògùn ìṣẹ́', 'From Lagos, with patience'],
  },
  {
    country: 'India',
    code: 'IN',
    currency: 'inr',
    language: 'Hindi',
    cities: [
      ['Pune', 'Maharashtra', '411001'],
      ['Jaipur', 'Rajasthan', '302001'],
      ['Lucknow', 'Uttar Pradesh', '226001'],
    ],
    streets: ['21 Udaharan Marg', '7 Namuna Road'],
    firstNames: names(
      'अदिति:aditi; रोहन:rohan; मीरा:meera; विक्रम:vikram; काव्या:kavya; अर्जुन:arjun; नंदिनी:nandini; समीर:sameer',
    ),
    lastNames: names(
      'देशमुख:deshmukh; शेखावत:shekhawat; त्रिवेदी:trivedi; कुलकर्णी:kulkarni; मिश्रा:mishra; राठौड़:rathore; जोशी:joshi; वर्मा:verma',
    ),
    groups: names('सह्याद्रि समूह:sahyadri-samuh; नीलगगन उद्योग:neelgagan'),
    schools: names('उदाहरण विश्वविद्यालय, पुणे:udaharan-vishwavidyalaya; नमूना प्रौद्योगिकी संस्थान:namuna-institute'),
    mottos: ['सरल समाधान, गहरा असर', 'सीखना कभी बंद नहीं होता', 'लोगों के लिए बनी तकनीक'],
  },
  {
    country: 'Japan',
    code: 'JP',
    currency: 'jpy',
    language: 'Japanese',
    cities: [
      ['Osaka', 'Osaka', '530-0001'],
      ['Sendai', 'Miyagi', '980-0021'],
      ['Fukuoka', 'Fukuoka', '810-0001'],
    ],
    streets: ['見本町1-2-3', '例示通り4-5'],
    firstNames: names(
      '陽菜:hina; 蓮:ren; さくら:sakura; 健太:kenta; 美咲:misaki; 大輔:daisuke; 千尋:chihiro; 直樹:naoki',
    ),
    lastNames: names(
      '青葉:aoba; 星野:hoshino; 三条:sanjo; 早瀬:hayase; 水島:mizushima; 藤代:fujishiro; 東雲:shinonome; 柏木:kashiwagi',
    ),
    groups: names('あさぎりグループ:asagiri; 株式会社ほしぞら堂:hoshizorado'),
    schools: names('見本大学:mihon-daigaku; 例示工業大学:reiji-kogyo-daigaku'),
    mottos: ['現場の声から始める', '小さく作り、長く育てる', 'わかりやすさは親切です'],
  },
  {
    country: 'South Korea',
    code: 'KR',
    currency: 'krw',
    language: 'Korean',
    cities: [
      ['Busan', 'Busan', '48058'],
      ['Daejeon', 'Daejeon', '34126'],
      ['Seongnam', 'Gyeonggi-do', '13529'],
    ],
    streets: ['예시로 12', '견본길 34'],
    firstNames: names(
      '서연:seoyeon; 민준:minjun; 지우:jiwoo; 하은:haeun; 도윤:doyoon; 수아:sua; 현우:hyunwoo; 예린:yerin',
    ),
    lastNames: names('남궁:namgung; 선우:sunwoo; 황보:hwangbo; 제갈:jegal; 독고:dokgo; 표:pyo; 탁:tak; 방:bang'),
    groups: names('한빛나루 그룹:hanbitnaru; 솔바람 홀딩스:solbaram'),
    schools: names('예시대학교:yesi-university; 견본과학기술원:gyeonbon-institute'),
    mottos: ['기본에 충실하게', '함께 오래 가는 제품', '문제를 먼저, 답은 나중에'],
  },
  {
    country: 'China',
    code: 'CN',
    currency: 'cny',
    language: 'Chinese',
    cities: [
      ['Hangzhou', 'Zhejiang', '310000'],
      ['Chengdu', 'Sichuan', '610000'],
      ['Xiamen', 'Fujian', '361000'],
    ],
    streets: ['示例路18号', '样本街6号'],
    firstNames: names(
      '雨桐:yutong; 子轩:zixuan; 思远:siyuan; 嘉怡:jiayi; 明哲:mingzhe; 若兰:ruolan; 天宇:tianyu; 静文:jingwen',
    ),
    lastNames: names('欧阳:ouyang; 司徒:situ; 上官:shangguan; 诸葛:zhuge; 慕容:murong; 沈:shen; 陆:lu; 顾:gu'),
    groups: names('青松岭集团:qingsongling; 云帆控股:yunfan'),
    schools: names('示例大学:shili-daxue; 样本理工学院:yangben-ligong'),
    mottos: ['把复杂的事做简单', '长期主义者', '用数据说话，用心做事'],
  },
  {
    country: 'Egypt',
    code: 'EG',
    currency: 'egp',
    language: 'Arabic',
    cities: [
      ['Alexandria', 'Alexandria', '21500'],
      ['Cairo', 'Cairo', '11511'],
      ['Aswan', 'Aswan', '81511'],
    ],
    streets: ['9 شارع المثال', '31 طريق النموذج'],
    firstNames: names('ليلى:layla; كريم:karim; نور:nour; ياسمين:yasmine; طارق:tarek; هالة:hala; عمر:omar; سلمى:salma'),
    lastNames: names(
      'البحيري:elbeheiry; الشاذلي:elshazly; منصور:mansour; القاضي:elkady; زهران:zahran; الصاوي:elsawy; رمزي:ramzy; حجازي:hegazy',
    ),
    groups: names('مجموعة نخيل النيل:nakheel-elnil; بيت المرجان القابضة:beit-elmorgan'),
    schools: names('جامعة المثال:jameat-elmethal; معهد النموذج للتكنولوجيا:maahad-elnamouzag'),
    mottos: ['نبني ببساطة ونفكر للمدى البعيد', 'التعلم عادة يومية', 'الناس قبل الأدوات'],
  },
  {
    country: 'Ukraine',
    code: 'UA',
    currency: 'uah',
    language: 'Ukrainian',
    cities: [
      ['Lviv', 'Lviv Oblast', '79000'],
      ['Kyiv', 'Kyiv City', '01001'],
      ['Odesa', 'Odesa Oblast', '65000'],
    ],
    streets: ['вул. Зразкова, 5', 'пров. Прикладний, 11'],
    firstNames: names(
      'Соломія:solomiia; Остап:ostap; Мар’яна:mariana; Тарас:taras; Квітка:kvitka; Богдан:bohdan; Зоряна:zoriana; Юрій:yurii',
    ),
    lastNames: names(
      'Вербицька:verbytska; Журавель:zhuravel; Калинець:kalynets; Сокіл:sokil; Дорошук:doroshuk; Левада:levada; Чорновус:chornovus; Гай:hai',
    ),
    groups: names('Група «Срібний Плай»:sribnyi-plai; Торговий дім «Обрій»:obrii'),
    schools: names(
      'Зразковий національний університет:zrazkovyi-universytet; Прикладна політехніка:prykladna-politekhnika',
    ),
    mottos: ['Роблю складне зрозумілим', 'Спершу люди, потім процеси', 'Якість видно здалеку'],
  },
  {
    country: 'Greece',
    code: 'GR',
    currency: 'eur',
    language: 'Greek',
    cities: [
      ['Thessaloniki', 'Central Macedonia', '546 24'],
      ['Patras', 'Western Greece', '262 21'],
      ['Heraklion', 'Crete', '712 02'],
    ],
    streets: ['Οδός Υποδείγματος 8', 'Λεωφόρος Παραδείγματος 40'],
    firstNames: names(
      'Ελένη:eleni; Νίκος:nikos; Δήμητρα:dimitra; Αλέξανδρος:alexandros; Ιωάννα:ioanna; Στέλιος:stelios; Θάλεια:thaleia; Μάριος:marios',
    ),
    lastNames: names(
      'Καραβίας:karavias; Μελτεμή:meltemi; Αμπελάς:ampelas; Γλαρού:glarou; Πευκιανός:pefkianos; Θαλασσινού:thalassinou; Λιθαράς:litharas; Ανεμώνη:anemoni',
    ),
    groups: names('Όμιλος Μελτέμι:omilos-meltemi; Αργοναύτης Συμμετοχών:argonaftis'),
    schools: names(
      'Πανεπιστήμιο Υποδείγματος:panepistimio-ypodeigmatos; Πολυτεχνείο Παραδείγματος:polytechneio-paradeigmatos',
    ),
    mottos: ['Απλές λύσεις που αντέχουν', 'Μαθαίνω κάθε μέρα', 'Πρώτα ο άνθρωπος'],
  },
]
