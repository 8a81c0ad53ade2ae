import type { Fault } from '../../simulation/faults/fault.ts'

const entity = 'records/entities/choose-entity.ts'
const jobs = 'records/changes/known-jobs.ts'
const judge = 'records/changes/judge-changes.ts'

/** Mistakes about the person of a record. */
const identityFaults: readonly Fault[] = [
  {
    name: 'strangers on one page are one person, despite different names',
    file: entity,
    in: 'mayBeNamed',
    find: 'return names.length === 0 || !allNamesContradict(one.names ?? [], names)',
    replace: 'return names.length >= 0 || allNamesContradict(one.names ?? [], names)',
  },
  {
    name: 'a platform id does not find its person',
    file: entity,
    in: 'chooseEntity',
    find: 'const own = kin.find((one) => holdsKey(identity, one))',
    replace: 'const own = kin.find((one) => identity.derived && holdsKey(identity, one))',
  },
  {
    name: 'a page does not find the person last seen there',
    file: entity,
    in: 'strength',
    find: "if (shared.some(({ type }) => type === 'slug')) return 2",
    replace: "if (shared.some(({ type }) => type === 'slug')) return 0",
  },
  {
    name: 'a person gets another key once the platform id is known',
    file: 'records/entities/resolve-entity.ts',
    in: 'settleEntity',
    find: "kind === 'companies'",
    replace: "kind !== 'people' || !identity.derived",
  },
  {
    name: 'names in other alphabets contradict nothing',
    file: 'records/names/transliterate.ts',
    in: 'latinSpellings',
    find: 'if (/^[\\p{Script=Latin}\\d]+$/u.test(word)) return [word]',
    replace: 'if (/^[\\p{Script=Latin}\\d]+$/u.test(word)) return [word]\n  return []',
  },
]

/** Mistakes about changes. */
const changeFaults: readonly Fault[] = [
  {
    name: 'an unstated list of jobs counts as empty',
    file: judge,
    in: 'judgeChanges',
    find: "const hasJobs = kind === 'people' && !side.thin && !now.unsaid.has('experience') && isCareer(now)",
    replace: "const hasJobs = kind === 'people' && !side.thin && isCareer(now)",
  },
  {
    name: 'the jobs of all providers are compared as those of one',
    file: judge,
    in: 'judgeChanges',
    find: 'jobs.next(side.provider, jobsOf(before, now))',
    replace: "jobs.next('any', jobsOf(before, now))",
  },
  {
    name: 'every watcher is notified twice',
    file: 'records/saving/notify-watchers.ts',
    in: 'eventsFor',
    find: 'environmentIds.map($event)',
    replace: '[...environmentIds, ...environmentIds].map($event)',
  },
  {
    name: 'a renamed company is another employer',
    file: 'records/changes/employer.ts',
    in: 'proofs',
    find: '[haveSameId, haveSamePage, haveSameName, haveSameJob]',
    replace: '[haveSameId, haveSamePage, haveSameName, haveSameJob].slice(0, 3)',
  },
  {
    name: 'a provider that skips a version starts again',
    file: 'records/saving/notify-watchers.ts',
    in: 'differsFromOwn',
    find: "const own = await before(tx, saved).where('provider', '=', saved.after.provider).limit(1).executeTakeFirst()\n  return own !== undefined && $differs",
    replace:
      'const own = await before(tx, saved).limit(1).executeTakeFirst()\n  return own?.provider === saved.after.provider && $differs',
  },
  {
    name: 'a change is reported one version late',
    file: 'records/saving/notify-watchers.ts',
    in: 'eventsFor',
    find: 'judged.slice(seen.length)',
    replace: 'judged.slice(seen.length - 1, seen.length)',
  },
  {
    name: 'every current title is a promotion',
    file: jobs,
    in: 'isNew',
    find: "return !known.some((one) => sameTitle(one, held) || (held.start !== '' && one.start === held.start))",
    replace: 'return known.length > 0',
  },
  {
    name: 'promotions are not detected',
    file: jobs,
    in: 'isNew',
    find: 'if (known.length === 0 || held.position.title === null) return false',
    replace: 'if (known.length >= 0 || held.position.title === null) return false',
  },
]

/** Mistakes about the person that a caller means. */
const guardFaults: readonly Fault[] = [
  {
    name: 'an expected name is not compared',
    file: 'lookup/asked/expectations.ts',
    in: 'inPerson',
    find: '{ first: first ?? null, last: last ?? null }',
    replace: '{ first: first ? null : null, last: last ? null : null }',
  },
  {
    name: 'one shared word makes two companies the same',
    file: 'records/names/compare-companies.ts',
    in: 'standIn',
    find: 'words.every(isThere)',
    replace: 'words.some(isThere)',
  },
  {
    name: 'a company is refused under its own name',
    file: 'records/names/compare-companies.ts',
    in: 'companiesMayAgree',
    find: 'if (a.length === 0 || b.length === 0 || cannotCompare(a, b)) return true',
    replace: 'if (a.length > 0 || cannotCompare(a, b)) return false',
  },
  {
    name: 'an employer is never the expected one',
    file: 'lookup/asked/expectations.ts',
    in: 'mayHaveWorkedAt',
    find: 'if (employers.length === 0) return true',
    replace: 'if (employers.length > 0) return false',
  },
  {
    name: 'names in local letters contradict those in Latin ones',
    file: 'records/names/contradict.ts',
    in: 'contradictedNames',
    find: "given.last && known.last ? compareLastNames(given.last, known.last) : 'same'",
    replace:
      "given.last && known.last && /\\p{Script=Latin}/u.test(given.last) !== /\\p{Script=Latin}/u.test(known.last) ? 'other' : given.last && known.last ? compareLastNames(given.last, known.last) : 'same'",
  },
]

/** Planted mistakes. The world must find each of them. */
export const faults: readonly Fault[] = [...identityFaults, ...changeFaults, ...guardFaults]
