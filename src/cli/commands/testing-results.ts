import { timeoutOption } from '../../base/options/service.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { serviceFiles } from '../../library/service/choose-service.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { lockOutput } from '../../runs/paths/lock-paths.ts';
import { checkStdout } from '../check-surroundings.ts';
import type { Context } from '../context.ts';
import { definedService, namedReport } from '../defined-by.ts';
import { withServiceOf } from '../open-service.ts';

/** Writes the rows that a report's model was tested on, with its predictions. */
export async function run(given: Context): Promise<number> {
  const context = await definedService(given);
  const { flags, defined } = context;
  const id = namedReport('testing-results', context);
  const { timeout } = resolveValues(timeoutOption, flags, defined);
  const name = String(flags.output ?? '-');
  const reads = serviceFiles(context);
  const { target, release } = await lockOutput(name, undefined, { reads });
  checkStdout([target]);
  try {
    await withServiceOf(context, { command: 'testing-results', timeout }, async service => {
      const sink = await target.open();
      try {
        for await (const bytes of service.testingResults(id)) await sink.write(bytes);
        await sink.close();
      } catch (error) {
        await sink.abandon();
        throw error;
      }
    });
  } finally {
    await release();
  }
  return ExitCode.done;
}
