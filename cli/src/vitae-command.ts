import { Command } from 'commander'

/** Undocumented methods of commander's commands. */
interface Reporting {
  unknownOption(flag: string): void
  error(message: string, options: { code: string }): never
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
}
