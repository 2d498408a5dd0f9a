import { openSink } from '../../io/sink.ts';
import { resolveTarget } from '../../io/target.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit.ts';
import { withServiceOf } from '../service.ts';

/** Writes the rows that a report's model was tested on, with what it said of them. */
export async function run(context: Context): Promise<number> {
  const { id, output } = context.flags;
  await withServiceOf(context, async client => {
    const name = String(output ?? '-');
    const sink = await openSink(await resolveTarget(name), name);
    try {
      for await (const bytes of client.testingResults(String(id))) await sink.write(bytes);
      await sink.close();
    } catch (error) {
      await sink.abandon();
      throw error;
    }
  });
  return ExitCode.done;
}
