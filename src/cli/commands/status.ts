import { readStatus, type Status } from '../../runs/status.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit-codes.ts';
import { printText } from '../terminal/print.ts';
import { describeStatus } from '../terminal/status-text.ts';

/** Prints the state of an output for people, or with --json its checkpoint (null without one). */
export async function run({ flags }: Context): Promise<number> {
  const output = String(flags.output);
  const status = await readStatus(output);
  const text =
    flags.json === true
      ? `${status.saved?.text.trimEnd() ?? 'null'}\n`
      : describeStatus(output, status, new Date());
  await printText(text);
  return codeOf(status);
}

function codeOf({ run, saved, finished }: Status): number {
  if (run !== undefined) return ExitCode.running;
  return saved === undefined && finished !== undefined ? ExitCode.done : ExitCode.stopped;
}
