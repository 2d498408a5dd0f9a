import { loadDefinition } from '../../config/definition.ts';
import type { Context } from '../context.ts';
import { readJob } from '../score/read-job.ts';
import { preview } from '../terminal/preview.ts';
import { printText } from '../terminal/print.ts';
import { describeReport } from '../terminal/report-text.ts';
import { checkPaths, recordEarlyEnd, recordStart, runScore } from './score.ts';
import { runTrain } from './train.ts';

/**
 * Runs a definition: trains its report, if it has a `train` section, and scores its rows. Flags override its `score`
 * section. If the rows go to a file, a preview is printed to stdout.
 */
export async function run(context: Context): Promise<number> {
  const file = String(context.flags.definition);
  const { train, score } = await loadDefinition(file);
  const reads = [
    { at: file, what: 'the definition', option: '-o' },
    ...(train === undefined ? [] : [{ at: String(train.history), what: 'the history', option: '-o' }]),
  ];
  context.log.info({ event: 'definition_started', definition: file }, `running ${file}`);
  // Training takes long, so errors in the paths of the scoring run are reported before it.
  if (train !== undefined) {
    await checkPaths(context, score, reads);
    await recordStart(context, score, reads);
  }
  const report =
    train &&
    (await runTrain({ ...context, flags: { home: context.flags.home } }, train).catch(async error => {
      await recordEarlyEnd(context, score, reads, error);
      throw error;
    }));
  if (report !== undefined)
    if (context.logFormat === 'json')
      context.log.info({ event: 'report_trained', report }, `report ${report.id} is trained`);
    else process.stderr.write(`\n${describeReport(report.id, report)}\n`);
  const code = await runScore(context, score, reads);

  const { isMany, inputs, values } = await readJob(context, score, reads);
  const [input = '-'] = inputs;
  const { output, delimiter, quote } = values;
  if (isMany || input === '-' || output === '-') return code;
  await printText(`\n${await preview({ input, output, delimiter, quote })}`);
  context.log.info(
    { event: 'next_step' },
    `next: see ${output}, or run: ${reportCommand(context.flags, score)}`,
  );
  return code;
}

/** The command that shows the report of a run. */
function reportCommand(
  flags: Readonly<Record<string, unknown>>,
  score: Readonly<Record<string, unknown>>,
): string {
  const given = { ...score, ...flags };
  const chosen = ['url', 'home'].flatMap(name =>
    given[name] === undefined ? [] : `--${name} ${given[name]}`,
  );
  return ['rowcast report', given.report, ...chosen].join(' ');
}
