import { countOf } from '../../base/number-text.ts';
import { commandOf } from '../../base/shell-word.ts';
import { flagsOfAddress } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/open-predictor.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { RunJob } from '../../runs/run.ts';
import { whyOneShard } from '../../shards/plan/publish-shards.ts';
import type { Context } from '../context.ts';
import { scorerOptionsOf } from '../open-service.ts';
import { untilStopped } from '../signals.ts';
import { printJson, printText } from '../terminal/print.ts';
import { makeShards } from './make-shards.ts';
import { storeFlags } from './store-flags.ts';

/** Divides the inputs into shards, writes the plan, and prints the commands that score and join them. */
export async function planShards(context: Context, job: RunJob): Promise<number> {
  const { env, flags, log } = context;
  return untilStopped(log, {}, async stop => {
    const opening = scorerOptionsOf(context, job.values, stop);
    return await withScorer(opening, async scorer => {
      const { folder, plan, publish } = await makeShards(context, job, { scorer, stop });
      const counts = plan.files.map(() => ({ shards: 0, rows: 0 }));
      const number = await publish(({ file, from, to }) => {
        const own = counts[file];
        if (own === undefined) return;
        own.shards++;
        own.rows += from === null || to === null ? 0 : to.row - from.row;
      });
      const files = plan.files.map((file, index) => ({
        input: file.input,
        output: file.output,
        shards: counts[index]?.shards ?? 0,
        rows: whyOneShard(file, job.values.encoding) === undefined ? counts[index]?.rows : null,
        why_one_shard: whyOneShard(file, job.values.encoding) ?? null,
      }));
      if (flags.json === true)
        await printJson(
          {
            format: 1,
            plan: plan.id,
            folder: folder.path,
            shards: number,
            shard_bytes: plan.shard_bytes,
            files,
            unchanged: plan.unchanged.map(({ input }) => input),
          },
          2,
        );
      else {
        const words = [folder.path, ...flagsOfAddress(opening.address, env), ...storeFlags(job.values)];
        await printText(textOf(words, number, files, plan.unchanged.length));
      }
      return ExitCode.done;
    });
  });
}

interface FileShards {
  input: string;
  shards: number;
  rows: number | null | undefined;
  why_one_shard: string | null;
}

/** Maximum number of inputs that are described one by one. */
const MAX_DESCRIBED = 5;

/** @param words the folder, and the flags that choose the service */
function textOf(
  words: readonly string[],
  number: number,
  files: readonly FileShards[],
  unchanged: number,
): string {
  const lines = files
    .slice(0, MAX_DESCRIBED)
    .map(
      ({ input, shards, rows, why_one_shard }) =>
        `${input}: ${countOf(shards, 'shard')}${rows == null ? '' : `, ${countOf(rows, 'row')}`}${why_one_shard === null ? '' : ` (${why_one_shard})`}`,
    );
  if (files.length > MAX_DESCRIBED) lines.push(`and ${countOf(files.length - MAX_DESCRIBED, 'more file')}`);
  if (unchanged > 0)
    lines.push(
      `${countOf(unchanged, 'file')} not scored again: unchanged since ${unchanged === 1 ? 'it was' : 'they were'} scored`,
    );
  if (number === 0) return `${lines.join('\n')}\n`;
  return `${lines.join('\n')}

To score ${number === 1 ? 'it' : `all ${number}`}, on as many machines as you like:
  ${commandOf('work', words)}
or each as a task of its own, I from 0 to ${number - 1}:
  ${commandOf('work', [...words, '--shard', 'I'])}
then:
  ${commandOf('assemble', words)}
`;
}
