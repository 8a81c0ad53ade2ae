import { Command } from 'commander'

/** What commander's commands have besides their documented methods. */
interface Reporting {
  unknownOption(flag: string): void
  error(message: string, options: { code: string }): never
}

/** A command that reports a mistyped option before it misses the required one. Commander checks in the other order. */
export class VitaeCommand extends Command {
  override createCommand(name?: string): Command {
    return new VitaeCommand(name)
  }

  /** Called by commander once all options are parsed; `args` then holds the ones it does not know. */
  missingMandatoryOptionValue({ flags }: { flags: string }): void {
    const reporting = this as unknown as Reporting
    const unknown = this.args.find((arg) => arg.startsWith('-'))
    if (unknown !== undefined) reporting.unknownOption(unknown)
    reporting.error(`error: required option '${flags}' not specified`, {
      code: 'commander.missingMandatoryOptionValue',
    })
  }
}
