import type { AdminOperationId as Operation } from '@vitae/contract/admin'
import { hrefTo } from '../router.ts'

/** An action that people look for, with the words under which they do. */
interface Action {
  title: string
  words: string
  href: string
  needs: Operation
}

/** The actions, in the words of people who do not know the menu. `do` opens the form of the page. */
export const actions: readonly Action[] = [
  {
    title: 'Make a key',
    words: 'new create api key credential access',
    href: hrefTo(['projects'], { do: 'key' }),
    needs: 'createKey',
  },
  {
    title: 'Make a project',
    words: 'new create add project team customer tenant client environment',
    href: hrefTo(['projects'], { do: 'project' }),
    needs: 'createProject',
  },
  {
    title: 'Invite a colleague: make an admin token',
    words: 'invite add user member person role permission login sign in admin token viewer operator billing',
    href: hrefTo(['operations', 'tokens'], { do: 'token' }),
    needs: 'createToken',
  },
  {
    title: 'Grant credits, or take some back',
    words: 'grant add give top up credits refund money correct adjust balance adjustment recharge',
    href: hrefTo(['projects']),
    needs: 'grantCredits',
  },
  {
    title: 'Set a budget or monthly credits',
    words: 'budget limit cap monthly spending recurring credits alert notify threshold',
    href: hrefTo(['projects']),
    needs: 'setBudget',
  },
  {
    title: 'Raise the ceiling of a key',
    words: 'raise ceiling quota limit rate key exhausted blocked 402',
    href: hrefTo(['projects', 'keys']),
    needs: 'updateKey',
  },
  {
    title: 'Read the monthly statement',
    words: 'invoice bill statement accounting receipt month charge export csv print',
    href: hrefTo(['spend', 'statement']),
    needs: 'readStatement',
  },
  {
    title: 'See usage and spending',
    words: 'usage consumption spend cost report analytics statistics tag export csv excel',
    href: hrefTo(['spend']),
    needs: 'readUsage',
  },
  {
    title: 'Look up a whole file',
    words: 'csv upload bulk batch enrich import file list excel many rows',
    href: hrefTo(['batches', 'new']),
    needs: 'submitBatch',
  },
  {
    title: 'Try one lookup',
    words: 'try test curl request playground example code sample',
    href: hrefTo(['playground']),
    needs: 'showSession',
  },
  {
    title: 'Erase a person or company',
    words: 'gdpr dsgvo ccpa erase delete forget remove right to be forgotten privacy data subject',
    href: hrefTo(['records']),
    needs: 'erasePerson',
  },
  {
    title: 'Export what is stored about a person',
    words: 'gdpr dsgvo access request subject export privacy data portability',
    href: hrefTo(['records']),
    needs: 'exportPerson',
  },
  {
    title: 'Suppress people who object',
    words: 'gdpr opt out block suppress blacklist objection do not serve privacy',
    href: hrefTo(['suppressions'], { do: 'add' }),
    needs: 'addSuppressions',
  },
  {
    title: 'Watch records for changes',
    words: 'watch monitor track job change refresh subscribe',
    href: hrefTo(['watches'], { do: 'add' }),
    needs: 'addWatches',
  },
  {
    title: 'Make a webhook',
    words: 'webhook notify event slack alert integration endpoint url',
    href: hrefTo(['webhooks'], { do: 'add' }),
    needs: 'createWebhook',
  },
  {
    title: 'Change the prices',
    words: 'price cost tariff plan discount change book',
    href: hrefTo(['prices']),
    needs: 'setPrices',
  },
  {
    title: 'Pause or check a provider',
    words: 'provider vendor source pause disable outage down slow check',
    href: hrefTo(['providers']),
    needs: 'pauseProvider',
  },
  {
    title: 'Make a backup',
    words: 'backup restore copy save snapshot disaster',
    href: hrefTo(['operations', 'backups']),
    needs: 'makeBackup',
  },
  {
    title: 'Check the service',
    words: 'doctor health check problem status diagnose error broken',
    href: hrefTo(['operations', 'doctor']),
    needs: 'runDoctor',
  },
  {
    title: 'Sign a colleague out',
    words: 'session sign out log out end kick user stolen',
    href: hrefTo(['sessions']),
    needs: 'endSession',
  },
  {
    title: 'See who did what',
    words: 'audit log history trail who changed read compliance',
    href: hrefTo(['audit']),
    needs: 'listAudit',
  },
]
