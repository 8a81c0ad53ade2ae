/** A first-level division of a country, such as a state or province. */
export interface Region {
  country: string
  code: string
  /** `city` if the region is a city, `shared` if its largest city has the same name, otherwise `area`. */
  kind: 'area' | 'shared' | 'city'
}

/**
 * The regions of countries whose addresses contain them, as `code name/other name`. A star marks a region that is a
 * city, a plus one that shares its name with a city.
 */
const written: Record<string, string> = {
  US: 'AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|DC District of Columbia/D C|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY +New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|PR Puerto Rico|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming',
  CA: 'AB Alberta|BC British Columbia|MB Manitoba|NB New Brunswick|NL Newfoundland and Labrador/Newfoundland|NS Nova Scotia|NT Northwest Territories|NU Nunavut|ON Ontario|PE Prince Edward Island|QC +Quebec|SK Saskatchewan|YT Yukon',
  AU: 'ACT Australian Capital Territory|NSW New South Wales|NT Northern Territory|QLD Queensland|SA South Australia|TAS Tasmania|VIC Victoria|WA Western Australia',
  BR: 'AC Acre|AL Alagoas|AP Amapa|AM Amazonas|BA Bahia|CE Ceara|DF Distrito Federal/Federal District|ES Espirito Santo|GO Goias|MA Maranhao|MT Mato Grosso|MS Mato Grosso do Sul|MG Minas Gerais|PA Para|PB Paraiba|PR Parana|PE Pernambuco|PI Piaui|RJ +Rio de Janeiro|RN Rio Grande do Norte|RS Rio Grande do Sul|RO Rondonia|RR Roraima|SC Santa Catarina|SP +Sao Paulo|SE Sergipe|TO Tocantins',
  IN: 'AP Andhra Pradesh|AR Arunachal Pradesh|AS Assam|BR Bihar|CG Chhattisgarh|CH *Chandigarh|DL *Delhi/New Delhi|GA Goa|GJ Gujarat|HR Haryana|HP Himachal Pradesh|JH Jharkhand|JK Jammu and Kashmir|KA Karnataka|KL Kerala|MP Madhya Pradesh|MH Maharashtra|MN Manipur|ML Meghalaya|MZ Mizoram|NL Nagaland|OD Odisha/Orissa|PB Punjab|PY +Puducherry|RJ Rajasthan|SK Sikkim|TN Tamil Nadu|TS Telangana|TR Tripura|UP Uttar Pradesh|UK Uttarakhand|WB West Bengal',
  MX: 'AGU +Aguascalientes|BCN Baja California|BCS Baja California Sur|CAM +Campeche|CHP Chiapas|CHH +Chihuahua|COA Coahuila|COL +Colima|CDMX *Ciudad de Mexico/Mexico City/Distrito Federal|DUR +Durango|GUA +Guanajuato|GRO Guerrero|HID Hidalgo|JAL Jalisco|MEX Estado de Mexico/State of Mexico|MIC Michoacan|MOR Morelos|NAY Nayarit|NLE Nuevo Leon|OAX +Oaxaca|PUE +Puebla|QUE +Queretaro|ROO Quintana Roo|SLP +San Luis Potosi|SIN Sinaloa|SON Sonora|TAB Tabasco|TAM Tamaulipas|TLA +Tlaxcala|VER +Veracruz|YUC Yucatan|ZAC +Zacatecas',
  DE: 'BW Baden-Württemberg|BY Bayern/Bavaria|BE *Berlin|BB Brandenburg|HB *Bremen|HH *Hamburg|HE Hessen/Hesse|MV Mecklenburg-Vorpommern|NI Niedersachsen/Lower Saxony|NW Nordrhein-Westfalen/North Rhine-Westphalia/NRW|RP Rheinland-Pfalz/Rhineland-Palatinate|SL Saarland|SN Sachsen/Saxony|ST Sachsen-Anhalt/Saxony-Anhalt|SH Schleswig-Holstein|TH Thüringen/Thuringia',
  AT: 'BGL Burgenland|KTN Kärnten/Carinthia|NOE Niederösterreich/Lower Austria|OOE Oberösterreich/Upper Austria|SBG +Salzburg|STM Steiermark/Styria|TIR Tirol/Tyrol|VBG Vorarlberg|W *Wien/Vienna',
  CH: 'AG Aargau|BE +Bern|BL Basel-Landschaft|BS *Basel-Stadt/Basel|FR +Fribourg|GE +Geneve/Geneva/Genf|GR Graubünden|JU Jura|LU +Luzern/Lucerne|NE +Neuchatel|SG +St. Gallen|SH +Schaffhausen|SO +Solothurn|SZ +Schwyz|TG Thurgau|TI Ticino|VD Vaud|VS Valais|ZG +Zug|ZH +Zürich/Zurich',
  ES: 'AN Andalucia/Andalusia|AR Aragon|AS Asturias|CN Canarias/Canary Islands|CB Cantabria|CL Castilla y Leon|CM Castilla-La Mancha|CT Cataluña/Catalonia/Catalunya|EX Extremadura|GA Galicia|IB Illes Balears/Balearic Islands|MC +Murcia|MD +Madrid/Comunidad de Madrid/Community of Madrid|NC Navarra|PV Pais Vasco/Basque Country|RI La Rioja|VC +Valencia/Comunidad Valenciana',
  IT: 'ABR Abruzzo|BAS Basilicata|CAL Calabria|CAM Campania|EMR Emilia-Romagna|FVG Friuli-Venezia Giulia|LAZ Lazio|LIG Liguria|LOM Lombardia/Lombardy|MAR Marche|PIE Piemonte/Piedmont|PUG Puglia/Apulia|SAR Sardegna/Sardinia|SIC Sicilia/Sicily|TOS Toscana/Tuscany|TAA Trentino-Alto Adige|UMB Umbria|VEN Veneto',
  FR: 'ARA Auvergne-Rhone-Alpes|BFC Bourgogne-Franche-Comte|BRE Bretagne/Brittany|CVL Centre-Val de Loire|COR Corse/Corsica|GES Grand Est|HDF Hauts-de-France|IDF Ile-de-France|NOR Normandie/Normandy|NAQ Nouvelle-Aquitaine|OCC Occitanie|PDL Pays de la Loire|PAC Provence-Alpes-Cote d Azur/PACA',
  GB: 'ENG England|SCT Scotland|WLS Wales|NIR Northern Ireland',
  NL: 'DR Drenthe|FL Flevoland|FR Friesland|GE Gelderland|GR +Groningen|LI Limburg|NB Noord-Brabant/North Brabant|NH Noord-Holland/North Holland|OV Overijssel|UT +Utrecht|ZE Zeeland|ZH Zuid-Holland/South Holland',
  CO: 'DC *Bogota/Bogota D C/Bogota DC/Distrito Capital|ANT Antioquia|ATL Atlantico|VAC Valle del Cauca|CUN Cundinamarca|SAN Santander|BOL Bolivar',
  AR: 'C *Ciudad Autonoma de Buenos Aires/CABA/Capital Federal|B +Buenos Aires/Provincia de Buenos Aires|X +Cordoba|S Santa Fe|M +Mendoza|T Tucuman',
  CN: 'BJ *Beijing|SH *Shanghai|TJ *Tianjin|CQ *Chongqing|GD Guangdong|ZJ Zhejiang|JS Jiangsu|SC Sichuan|HB Hubei|FJ Fujian|SD Shandong',
  JP: '13 *Tokyo|27 +Osaka|26 +Kyoto|14 Kanagawa|23 Aichi|40 +Fukuoka|01 Hokkaido|28 Hyogo|11 Saitama|12 +Chiba',
  KR: '11 *Seoul|26 *Busan|28 *Incheon|41 Gyeonggi/Gyeonggi-do',
  RU: 'MOW *Moscow/Moskva|SPE *Saint Petersburg/St Petersburg',
  ZA: 'EC Eastern Cape|FS Free State|GP Gauteng|KZN KwaZulu-Natal|LP Limpopo|MP Mpumalanga|NC Northern Cape|NW North West|WC Western Cape',
}
/** Countries with complete lists, whose addresses use these names: a word that is not in the list is not a region. */
const wholeLists = new Set(['US', 'CA', 'AU', 'BR', 'IN', 'MX'])

/** The region for a code or a name in a country. Without a country, only a name that is unique to one country. */
export function regionOf(country: string | null, name: string | null): Region | null {
  if (name === null) return null
  const folded = foldCase(name)
  if (country !== null) return regions().get(`${country} ${folded}`) ?? null
  if (folded.length < 4) return null
  const known = Object.keys(written).flatMap((one) => regions().get(`${one} ${folded}`) ?? [])
  return known.length === 1 ? (known[0] ?? null) : null
}

/** Whether the list of a country's regions is complete. */
export function hasAllRegions(country: string | null): boolean {
  return country !== null && wholeLists.has(country)
}

let known: ReadonlyMap<string, Region> | null = null

/** Parsed at the first address. */
function regions(): ReadonlyMap<string, Region> {
  known ??= new Map(Object.entries(written).flatMap(([country, list]) => list.split('|').flatMap(namesOf(country))))
  return known
}

function namesOf(country: string): (entry: string) => [string, Region][] {
  return (entry) => {
    const [, code = '', mark, names = ''] = /^(\S+) ([*+]?)(.*)$/.exec(entry) ?? []
    const region: Region = { country, code, kind: mark === '*' ? 'city' : mark === '+' ? 'shared' : 'area' }
    return [code, ...names.split('/')].map((name) => [`${country} ${foldCase(name)}`, region])
  }
}

function foldCase(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/^(?:state|province|estado|provincia) (?:of|de|do) (?!mexico|buenos)/, '')
    .trim()
}
