import { jsonOption } from '../../config/options/observability.ts';
import { planOptions } from '../../config/options/plan.ts';
import { resolveValues } from '../../config/resolve-options.ts';
import { exitCodes } from '../../errors.ts';
import { checkCompared } from '../../library/plan/check-compared.ts';
import { type PlanTotals, planOf, totalsOf } from '../../library/plan/plan-of.ts';
import { ExitCode } from '../../library/run/exit-code.ts';
import { reportOf } from '../../library/run/score-recorded.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/with-scorer.ts';
import { findInputs } from '../../runs/files/input-files.ts';
import { type InputPlan, planInput } from '../../scoring/plan/plan-input.ts';
import { retryLines } from '../connect.ts';
import type { Context } from '../context.ts';
import { describeFailure } from '../exit-codes.ts';
import { type Job, readJob } from '../score/read-job.ts';
import { onSignals } from '../signals.ts';
import { describePlan, describeTotals } from '../terminal/plan-text.ts';
import { printText } from '../terminal/print.ts';

/** Shows what `score` would do with its options. Nothing is written, except with --shards. */
export async function run(context: Context): Promise<number> {
  if (context.flags.shards === undefined) return runPlan(context, {});
  const { planShards } = await import('../shards/plan-shards.ts');
  return planShards(context, {}, await readJob(context, {}, []));
}

/** @param defined the `score` section of a definition; flags override it */
export async function runPlan(context: Context, defined: Readonly<Record<string, unknown>>): Promise<number> {
  const { env, flags, log } = context;
  const values = resolveValues({ ...planOptions, ...jsonOption('') }, flags);
  const job = await readJob(context, defined, []);
  const report = reportOf(job.values);
  await checkCompared(job.values, report);
  const address = chooseService(context, defined);
  const signals = onSignals({});
  const { first: stop } = signals;
  try {
    const opening = { values: job.values, address, env, onRetry: retryLines(log), stop };
    return await withScorer(opening, async scorer => {
      const plans: InputPlan[] = [];
      for (const input of await inputsOf(job)) {
        const isFirst = plans.length === 0;
        const options = { ...job.values, report, input };
        plans.push(
          await planInput(options, scorer, {
            probes: isFirst ? values.probe : 0,
            showRequest: isFirst && values.showRequest,
            stop,
          }),
        );
      }
      const totals = await totalsOf(plans, job.values.output, values.pricePer1000);
      if (values.showRequest) await printText(`${plans[0]?.firstRequest ?? ''}\n`);
      else if (values.json)
        await printText(`${JSON.stringify(planOf(report, scorer.name, plans, totals), null, 2)}\n`);
      else await printPlans(plans, totals);
      for (const { problem } of plans)
        if (problem !== undefined) process.stderr.write(describeFailure(problem));
      return plans.every(({ problem }) => problem === undefined) ? ExitCode.done : exitCodes.refused;
    });
  } finally {
    signals.end();
  }
}

const inputsOf = async ({ isMany, inputs }: Job): Promise<string[]> =>
  isMany ? (await findInputs(inputs)).map(({ path }) => path) : [...inputs];

/** Maximum number of inputs that are described one by one. */
const MAX_DESCRIBED = 5;

async function printPlans(plans: readonly InputPlan[], totals: PlanTotals): Promise<void> {
  const shown = [...plans.slice(0, MAX_DESCRIBED)];
  const more = plans.length - shown.length;
  const rest = more > 0 ? [`and ${more} more files\n`] : [];
  await printText(`${[...shown.map(describePlan), ...rest].join('\n')}\n${describeTotals(totals)}\n`);
}
