import { RowcastError } from '../../../base/errors.ts';
import { counted, countOf } from '../../../base/number-text.ts';
import { formatList, sanitize } from '../../../base/sanitize.ts';
import { resultOf, startThread } from '../../../base/thread-result.ts';
import type { Evaluation, EvaluationFacts } from '../../../evaluate/evaluation.ts';
import type { KeyLookalikes } from '../../../evaluate/join/key-forms.ts';
import type { EvaluatedFiles, TalliedFiles } from '../../../evaluate/tally-files.ts';
import { RequestError } from '../../../server/problems/problems.ts';
import { shownError } from '../../errors/shown-error.ts';
import { sentence } from '../../texts.ts';

/** Can be posted between threads. */
export interface OutcomesJob {
  files: Omit<EvaluatedFiles, 'signal' | 'onStep'>;
  facts: Omit<EvaluationFacts, 'joined' | 'earlier'>;
}

export interface EvaluatedOutcomes extends Pick<TalliedFiles, 'lookalikes'> {
  evaluation: Evaluation;
  keys: KeyLookalikes | undefined;
}

/** What the thread may take besides the memory of its columns. */
const MAX_HEAP_MB = 256;

/**
 * Evaluates the output of a run in a thread, so that predictions are not delayed.
 *
 * @param gone ends it
 * @throws RequestError `invalid_csv` in plain words, also if no row has an outcome; the reason of `gone`
 */
export async function evaluateOutcomes(job: OutcomesJob, gone: AbortSignal): Promise<Evaluation> {
  // The compiled file's name: unlike imports, URLs are not rewritten.
  const worker = startThread(new URL('./outcomes-worker.js', import.meta.url), job, {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const { evaluation, ...alike } = await resultOf<EvaluatedOutcomes>(worker, 'evaluating', {
    signal: gone,
  }).catch(error => {
    throw error instanceof RowcastError ? inPlainWords(error, job) : error;
  });
  if (evaluation.coverage.labelled === 0) throw nothingJoined(evaluation, alike);
  return evaluation;
}

/** What to do on the page about errors whose hints are for the command line. */
const hints: Readonly<Record<string, string>> = {
  other_row_count: 'Rows that were rejected are not in the output. Choose columns of both files instead.',
  no_predictions: 'Name the column that the report predicts.',
};

function inPlainWords(error: RowcastError, { files, facts }: OutcomesJob): RequestError {
  const name = error.location.file === files.labels[0] ? facts.labels : `the output of ${facts.scored[0]}`;
  const { message, hint } = shownError(error, hints);
  return invalid(`${name}: ${sentence(message)}${hint === null ? '' : ` ${hint}`}`);
}

const invalid = (text: string): RequestError => new RequestError('invalid_csv', sanitize(text));

const REASONS: Readonly<Record<string, string>> = {
  no_label: 'have no outcome',
  no_key: 'have no key',
  not_scored: 'have a key that no row of the run has',
  conflicting_labels: 'have the key of another one that says something else',
  scored_twice: 'have a key that several rows of the run have',
  unknown_label: 'are nothing that the report predicts',
  label_twice: 'are there again',
};

function nothingJoined(
  { joined }: Evaluation,
  { lookalikes, keys }: Omit<EvaluatedOutcomes, 'evaluation'>,
): RequestError {
  const reasons = Object.entries(joined.unused).map(
    ([reason, rows]) => `${counted(rows)} ${REASONS[reason] ?? reason}`,
  );
  const alike = lookalikes.slice(0, 3).map(({ text, name }) => ` Is "${text}" the same as "${name}"?`);
  if (keys !== undefined)
    alike.push(` Its keys differ from those of the run only in ${formatList(keys.forms)}.`);
  return invalid(
    `No row of the run gets an outcome from this file. Of its ${countOf(joined.labels, 'row')}, ${formatList(reasons)}.${alike.join('')}`,
  );
}
