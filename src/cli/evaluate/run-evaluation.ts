import { rm } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { evaluateTable } from '../../base/options/evaluate/evaluate-options.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import { schemeOf } from '../../base/scheme.ts';
import { unusedTexts } from '../../evaluate/figure-texts.ts';
import type { LocatedDefinition } from '../../library/definition/inspect-definition.ts';
import {
  beyondLimit,
  checkJoin,
  type EvaluatedJob,
  type EvaluateJob,
  evaluateJob,
} from '../../library/evaluate/evaluate.ts';
import { homeOf } from '../../library/service/choose-service.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { writeWhole } from '../../runs/observers/result-file.ts';
import { resolveTarget } from '../../storage/backends.ts';
import { usageError } from '../arguments/usage-error.ts';
import type { Context } from '../context.ts';
import { onSignals } from '../signals.ts';
import { describeEvaluation } from '../terminal/evaluate/evaluation-text.ts';
import { printJson, printText } from '../terminal/print.ts';
import { openProgress, stepReport } from '../terminal/progress.ts';

/** Says whether predictions came true; exit code 3 if a limit is not kept. */
export async function runEvaluation(context: Context): Promise<number> {
  const { flags, log } = context;
  const defined = await definedEvaluation(context);
  const { labels: _labels, ...options } = evaluateTable;
  const values = resolveValues(options, flags, defined);
  const scored = namesOf(flags.scored ?? defined.scored);
  if (scored.length === 0) throw usageError('missing argument: SCORED', { name: 'evaluate' });
  const progress = openProgress(context);
  const onStep = (step: string): void => progress.show(seconds => stepReport(step, seconds));
  onStep('reading');
  const signals = onSignals({
    onFirst: signal => log.warn({ event: 'signal', signal }, `${signal}: the evaluation is stopped`),
  });
  const job: EvaluateJob = {
    ...values,
    scored,
    labels: namesOf(flags.labels ?? defined.labels),
    home: homeOf({ ...context, defined }),
    signal: signals.first,
    onStep,
  };
  // Reading may hang.
  const evaluated = await unlessStopped(evaluateJob(job), signals.first).finally(() => {
    progress.close();
    signals.end();
  });
  const { evaluation, beyond } = evaluated;
  logFindings(context, evaluated);
  await listUnmatched(context, evaluated, job);
  if (flags.json === true) await printJson(evaluation, 2);
  else await printText(describeEvaluation(evaluation));
  if (beyond !== undefined) throw beyondLimit(beyond);
  return ExitCode.done;
}

/** The section `evaluate` of the definition that a flag names. @throws as `loadTrusted` */
async function definedEvaluation({
  flags,
  env,
  ...given
}: Context): Promise<Readonly<Record<string, unknown>>> {
  if (flags.definition === undefined) return {};
  // Loaded only when it is needed.
  const { loadTrusted } = await import('../../library/definition/check-trust.ts');
  const file = String(flags.definition);
  const { evaluate } = await loadTrusted(file, { ...given, flags, env }, [], name =>
    name.startsWith('evaluate.'),
  );
  // One column is a list of one.
  const lists = Object.entries(evaluate ?? {}).filter(([name]) => name === 'key' || name === 'by');
  if (evaluate !== undefined)
    return { ...evaluate, ...Object.fromEntries(lists.map(([name, value]) => [name, [value].flat()])) };
  throw new RowcastError('usage', 'the definition has no section evaluate', { location: { file } });
}

/** Checks what no schema expresses of the section of a definition. @throws RowcastError `usage` */
export function checkEvaluation({ evaluate = {}, lineOf }: LocatedDefinition): void {
  const [scored, labels, key] = [namesOf(evaluate.scored), namesOf(evaluate.labels), namesOf(evaluate.key)];
  try {
    checkJoin({ scored, labels, key, byRow: evaluate['by-row'] === true });
  } catch (error) {
    throw error instanceof RowcastError ? error.addLocation({ line: lineOf(['evaluate']) }) : error;
  }
}

const namesOf = (given: unknown): string[] => (given === undefined ? [] : [given].flat().map(String));

function logFindings({ log }: Context, { evaluation, lookalikes, unmatched }: EvaluatedJob): void {
  const { joined, coverage, warnings } = evaluation;
  const unused = Object.entries(joined.unused).filter(
    ([reason]) => unusedTexts[reason] !== undefined && reason !== 'no_label',
  );
  if (unused.length > 0) {
    const parts = unused.map(([reason, rows]) => `${counted(rows)} ${unusedTexts[reason]}`);
    log.warn(
      { event: 'evaluation_note', unused: joined.unused },
      `of ${countOf(joined.labels, 'label')}, these were not used: ${formatList(parts)}`,
    );
  }
  for (const { text, rows, name } of lookalikes)
    log.warn(
      { event: 'evaluation_note' },
      `${countOf(rows, 'label')} ${sanitize(JSON.stringify(text))} ${rows === 1 ? 'is' : 'are'} no class; is it "${sanitize(name)}"? Labels are compared exactly`,
    );
  const keys = unmatched?.forms.lookalikes;
  if (keys !== undefined)
    log.warn(
      { event: 'evaluation_note', keys: keys.keys, forms: keys.forms },
      `${countOf(keys.keys, 'key')} of labels ${keys.keys === 1 ? 'differs' : 'differ'} from a key of scored rows only in ${formatList(keys.forms)}. Keys are compared exactly`,
    );
  for (const { code, message } of warnings)
    log.warn({ event: 'evaluation_warning', code }, sanitize(message));
  const { rows, labelled } = coverage;
  log.info(
    { event: 'evaluated', rows, labelled },
    `evaluated ${counted(labelled)} of ${countOf(rows, 'scored row')}`,
  );
}

/**
 * Lists keys that are not as they should be, next to the summary, else next to the labels, if these are a file. The
 * list of an earlier evaluation is replaced, or removed.
 */
async function listUnmatched(
  { log }: Context,
  { unmatched }: EvaluatedJob,
  { summary, labels }: EvaluateJob,
): Promise<void> {
  if (unmatched === undefined) return;
  const [first = '-'] = labels;
  const beside = summary ?? first;
  if (beside === '-' || schemeOf(beside) !== undefined) return;
  const file = `${beside}.unmatched.csv`;
  if (unmatched.keys === 0) {
    await rm(file, { force: true });
    return;
  }
  await writeWhole(await resolveTarget(file), [unmatched.text], new AbortController().signal);
  log.warn(
    { event: 'evaluation_note', file, keys: unmatched.keys },
    `${countOf(unmatched.keys, 'key')} ${unmatched.keys === 1 ? 'is' : 'are'} listed in ${file}${unmatched.isCut ? ', at most 20,000 of each problem' : ''}`,
  );
}
