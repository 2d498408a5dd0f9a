import { exitCodes, RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { jsonOption } from '../../base/options/observability.ts';
import { SHORT_OUTAGE } from '../../base/options/service.ts';
import { planOptions } from '../../base/options/shards.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { commandOf } from '../../base/shell-word.ts';
import { loadTrusted } from '../../library/definition/check-trust.ts';
import type { Definition } from '../../library/definition/inspect-definition.ts';
import { checkCompared, type Plan, planOf } from '../../library/forecast/plan-of.ts';
import { memoryOf } from '../../library/run-memory.ts';
import { reportOf } from '../../library/runs-of.ts';
import { withScorer } from '../../library/service/open-predictor.ts';
import { planFiles } from '../../library/several/plan-files.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { type InputPlan, planInput } from '../../runs/forecast/plan-input.ts';
import type { RunJob } from '../../runs/run.ts';
import { findInputs } from '../../runs/several/input-files.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { Context } from '../context.ts';
import { withSettings } from '../definitions.ts';
import { describeFailure } from '../failure-text.ts';
import { scorerOptionsOf } from '../open-service.ts';
import { readJob } from '../score/read-job.ts';
import { untilStopped } from '../signals.ts';
import { describePlan, describeTotals } from '../terminal/plan-text.ts';
import { printJson, printText } from '../terminal/print.ts';

/**
 * Shows what `score` would do with its options, or `run` with definitions. Nothing is written, except with --shards.
 */
export async function run(context: Context): Promise<number> {
  const inputs = [context.flags.input ?? []].flat().map(String);
  const files = inputs.filter(isDefinition);
  if (files.length === 0) {
    checkNoSettings(context);
    return planSection(context);
  }
  const other = inputs.find(input => !isDefinition(input));
  if (other !== undefined)
    throw new RowcastError('usage', `${files[0]} is a definition, and ${other} is not`, {
      hint: 'Plan definitions and other inputs with separate commands.',
    });
  if (files.length > 1 && context.flags.shards !== undefined)
    throw new RowcastError('usage', '--shards is the folder of one definition', {
      hint: 'Plan each definition with its own folder.',
    });
  const { input: _, ...flags } = context.flags;
  return planDefinitions({ ...context, flags }, files);
}

/** A file is taken for a definition by its name. */
const isDefinition = (input: string): boolean => /\.ya?ml$/i.test(input);

/** @throws RowcastError `usage` */
function checkNoSettings({ flags }: Context): void {
  if (flags.set !== undefined)
    throw new RowcastError('usage', '--set has no effect without a definition', {
      hint: 'Give the option itself, or a definition as the input.',
    });
}

/** Shows the plans of definitions, all of which are read first. */
export async function planDefinitions(given: Context, files: readonly string[]): Promise<number> {
  const { context, settings } = withSettings(given);
  const definitions: Definition[] = [];
  for (const file of files) definitions.push(await loadTrusted(file, context, settings));
  let code: number = ExitCode.done;
  for (const definition of definitions) code = Math.max(code, await planDefinition(context, definition));
  return code;
}

/**
 * Shows the plan of a definition. One with a `train` section is planned with the report that there is now, because
 * nothing is trained.
 */
async function planDefinition(given: Context, { file, train, score }: Definition): Promise<number> {
  const context = { ...given, defined: score };
  if (train === undefined) return planSection(context);
  return planSection(context).catch((error: unknown) => {
    const { home, 'trust-definition': isTrusted } = context.flags;
    const given = [
      ...(home === undefined ? [] : ['--home', String(home)]),
      ...(isTrusted === true ? ['--trust-definition'] : []),
    ];
    if (error instanceof RowcastError && error.code === 'no_such_report')
      error.hint = `It can be planned once the report is trained, which this does: ${commandOf('run', [file, ...given])}`;
    throw error;
  });
}

/** Somebody waits for a plan that is only shown, so it does not wait for long, whatever the definition says of its run. */
async function planSection(context: Context): Promise<number> {
  if (context.flags.shards === undefined)
    return runPlan({ ...context, flags: { 'max-outage': SHORT_OUTAGE, ...context.flags } });
  const { planShards } = await import('../shards/plan-shards.ts');
  return planShards(context, await readJob(context, []));
}

async function runPlan(context: Context): Promise<number> {
  const { flags, log } = context;
  const values = resolveValues({ ...planOptions, ...jsonOption }, flags);
  const job = await readJob(context, []);
  const report = reportOf(job.values);
  await checkCompared(job.values, {
    report,
    last: await memoryOf(job)?.read(),
    backends: job.backends,
    note: ({ code, message }) => log.warn({ event: code }, message),
  });
  return untilStopped(log, {}, stop =>
    withScorer(scorerOptionsOf(context, job.values, stop), async scorer => {
      const plans: InputPlan[] = [];
      for (const files of await pairsOf(job, stop)) {
        const isFirst = plans.length === 0;
        const options = { ...job.values, ...files, report };
        plans.push(
          await planInput(options, scorer, {
            probes: isFirst ? values.probe : 0,
            showRequest: isFirst && values.showRequest,
            stop,
            backends: job.backends,
            note: ({ code, message }) => log.warn({ event: code }, message),
          }),
        );
      }
      const { output, pricePer1000 } = job.values;
      const whole = await planOf(plans, { report, service: scorer.name, output }, pricePer1000);
      if (values.showRequest) await printText(`${firstRequestOf(plans)}\n`);
      else if (values.json) await printJson(whole, 2);
      else await printPlans(plans, whole);
      for (const { problem } of plans)
        if (problem !== undefined) process.stderr.write(describeFailure(problem));
      return plans.every(({ problem }) => problem === undefined) ? ExitCode.done : exitCodes.refused;
    }),
  );
}

/** @throws RowcastError `usage` if rows are scored without requests */
function firstRequestOf([first]: readonly InputPlan[]): string {
  if (first?.problem === undefined && first?.requests === 0 && first.rows > 0)
    throw new RowcastError(
      'usage',
      '--show-request has no effect: a local report is scored without requests',
      {
        hint: 'Give --url to see what a service would get.',
      },
    );
  return first?.firstRequest ?? '';
}

/** The inputs, with the earlier outputs of each. */
async function pairsOf(job: RunJob, stop: AbortSignal): Promise<Pick<FilePair, 'input' | 'reuse'>[]> {
  if (job.isMany && job.values.reuse !== undefined) return (await planFiles(job, stop)).pairs;
  const found = job.isMany ? await findInputs(job.inputs, job.backends, stop) : [];
  return (job.isMany ? found.map(({ path }) => path) : job.inputs).map(input => ({ input }));
}

/** Maximum number of inputs that are described one by one. */
const MAX_DESCRIBED = 5;

async function printPlans(plans: readonly InputPlan[], whole: Plan): Promise<void> {
  const shown = [...plans.slice(0, MAX_DESCRIBED)];
  const more = plans.length - shown.length;
  const rest = more > 0 ? [`and ${countOf(more, 'more file')}\n`] : [];
  await printText(`${[...shown.map(describePlan), ...rest].join('\n')}\n${describeTotals(whole)}\n`);
}
