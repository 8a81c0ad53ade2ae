import { Command } from 'commander'
import { CommandError } from './command-error.ts'

/** Undocumented methods of commander's commands. */
interface Reporting {
  unknownOption(flag: string): void
  unknownCommand(): void
  error(message: string, options: { code: string }): never
}

/** Commands of earlier versions, and those that do the same. */
const renamed: Readonly<Record<string, string>> = {
  settings: 'config show',
  receipts: 'calls show',
  'watches match': 'watches add',
}

/** A command that reports an unknown option before a missing required one. Commander does the reverse. */
export class VitaeCommand extends Command {
  override createCommand(name?: string): Command {
    return new VitaeCommand(name)
  }

  /** Commander calls this after parsing; `args` then holds unknown options. */
  missingMandatoryOptionValue({ flags }: { flags: string }): void {
    const reporting = this as unknown as Reporting
    const unknown = this.args.find((arg) => arg.startsWith('-'))
    if (unknown !== undefined) reporting.unknownOption(unknown)
    reporting.error(`error: required option '${flags}' not specified`, {
      code: 'commander.missingMandatoryOptionValue',
    })
  }

  /** Commander calls this for an argument that is not there. It names the last one, even if the first was left out. */
  missingArgument(name: string): void {
    const path = [this.name()]
    for (let one = this.parent; one; one = one.parent) path.unshift(one.name())
    const wanted = this.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`))
    const choices = this.registeredArguments.flatMap((one) =>
      one.argChoices ? `, where <${one.name()}> is ${one.argChoices.join(' or ')}` : [],
    )
    const usage = `"${[...path, ...wanted].join(' ')}"${choices.join('')}`
    const reporting = this as unknown as Reporting
    reporting.error(`error: missing required argument '${name}': write ${usage}`, { code: 'commander.missingArgument' })
  }

  /** Commander calls this for a word that names no command. */
  unknownCommand(): void {
    const name = [...(this.parent ? [this.name()] : []), this.args[0]].join(' ')
    const now = renamed[name]
    if (now !== undefined) throw new CommandError(`"vitae ${name}" is now "vitae ${now}".`, { exitCode: 2 })
    const usual = Command.prototype as unknown as Reporting
    usual.unknownCommand.call(this)
  }
}
