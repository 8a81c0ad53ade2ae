/** A name in Latin letters, and in its local spelling. */
export interface Written {
  latin: string
  local: string
}

function latin(names: string): Written[] {
  return names.split(' ').map((name) => ({ latin: name, local: name }))
}

function both(pairs: string): Written[] {
  return pairs.split(' ').map((pair) => {
    const [one = '', other = one] = pair.split('/')
    return { latin: one, local: other }
  })
}

/** The names of one region. None is a variant of another. */
export interface NamePool {
  country: string
  first: readonly Written[]
  last: readonly Written[]
}

export const namePools: readonly NamePool[] = [
  {
    country: 'US',
    first: latin('Ottoline Bastian Calla Dorian Fenwick Isolde Leopold Marisol Thaddeus Winifred Jasper Quentin'),
    last: latin(
      'Ashgrove Brightwater Copperfield Dunmarrow Fairweather Larkspur Merriweather Thistlewood Hollowell Pennington ' +
        'Quillfeather Ravensworth Silverbrook Underhay Vexley Wolstenholme Yarborough Zellwood',
    ),
  },
  {
    country: 'PT',
    first: latin('Beatriz Duarte Inês Gonçalo Joaquim Leonor Matilde Rui'),
    last: latin('Sampaio Figueiredo Nóbrega Vasconcelos Barreto Queirós Lourenço Azevedo Magalhães Tavares'),
  },
  {
    country: 'DE',
    first: latin('Jürgen Friederike Gisela Hartmut Ilse Konstanze Lutz Sönke'),
    last: latin('Müllerschön Kleinschmied Obermayr Trautwein Wöhrle Zapf Haferkamp Diestel Eckhoff Nußbaum'),
  },
  {
    country: 'BG',
    first: both('Boris/Борис Desislava/Десислава Kiril/Кирил Milena/Милена Radoslav/Радослав Vesela/Весела'),
    last: both('Petrov/Петров Dimitrov/Димитров Stoyanov/Стоянов Kolarov/Коларов Nedelchev/Неделчев Hristov/Христов'),
  },
  {
    country: 'GR',
    first: both('Eleni/Ελένη Kostas/Κώστας Nikos/Νίκος Sofia/Σοφία Dimitra/Δήμητρα'),
    last: both('Papadakis/Παπαδάκης Nikolaou/Νικολάου Samaras/Σαμαράς Karras/Καρράς Vlachos/Βλάχος'),
  },
]

/** Companies of a group share their first word, and nothing else. */
export const companyGroups: readonly (readonly string[])[] = [
  ['Amber Harbor', 'Amber Quarry', 'Amber Lantern'],
  ['Northgate Looms', 'Northgate Orchards'],
  ['Halcyon Optics', 'Halcyon Ferries', 'Halcyon Kilns'],
  ['Bluestone Maps', 'Bluestone Pianos'],
  ['Copperleaf Tides', 'Copperleaf Kites'],
  ['Meridian Clocks', 'Meridian Seeds', 'Meridian Sails'],
]

const firstWords =
  'Tidewater Quillworks Kestrel Nocturne Paperwing Driftwood Lanternlight Saltmarsh Windrose Foxglove Ironbark Juniper'
const secondWords = 'Instruments Engines Bindery Weavers Foundry Charts Bakeries Bells Mills Gliders Pumps Needles'

/** Names of companies that share no word. */
export const companyNames: readonly string[] = firstWords
  .split(' ')
  .map((word, index) => `${word} ${secondWords.split(' ')[index]}`)

/** The new names of renamed companies. */
export const newCompanyNames: readonly string[] =
  'Ventora Quessia Lumoda Brivanta Zorindel Calyxo Dovetra Marivel Ostrava Pellucid Rivanti Solquest'.split(' ')

/** Job titles in English, and in local languages. */
export const titles: readonly { en: string; local: Readonly<Record<string, string>> }[] = [
  { en: 'Cartographer', local: { PT: 'Cartógrafo', DE: 'Kartograf', BG: 'Картограф', GR: 'Χαρτογράφος' } },
  { en: 'Clockmaker', local: { PT: 'Relojoeiro', DE: 'Uhrmacher', BG: 'Часовникар', GR: 'Ωρολογοποιός' } },
  { en: 'Archivist', local: { PT: 'Arquivista', DE: 'Archivar', BG: 'Архивар', GR: 'Αρχειονόμος' } },
  { en: 'Navigator', local: { PT: 'Navegador', DE: 'Navigator', BG: 'Навигатор', GR: 'Πλοηγός' } },
  { en: 'Bookbinder', local: { PT: 'Encadernador', DE: 'Buchbinder', BG: 'Книговезец', GR: 'Βιβλιοδέτης' } },
  { en: 'Glass Chemist', local: { PT: 'Vidraceiro', DE: 'Glaschemiker', BG: 'Стъклар', GR: 'Υαλουργός' } },
  { en: 'Lamp Keeper', local: { PT: 'Faroleiro', DE: 'Lampenwart', BG: 'Лампаджия', GR: 'Φανοποιός' } },
  { en: 'Harbour Pilot', local: { PT: 'Piloto', DE: 'Lotse', BG: 'Пилот', GR: 'Πιλότος' } },
]
