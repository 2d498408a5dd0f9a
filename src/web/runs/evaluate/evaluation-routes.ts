import type { FastifyPluginAsync } from 'fastify';
import * as z from 'zod';
import { formatList, sanitize } from '../../../base/sanitize.ts';
import { readVersion } from '../../../base/version.ts';
import type { Evaluation } from '../../../evaluate/evaluation.ts';
import { testingFigures } from '../../../evaluate/evaluation-of.ts';
import { DEFAULT_PREFIX } from '../../../formats/appended.ts';
import { readLayout } from '../../../formats/formats.ts';
import { readReport } from '../../../models/store/report-store.ts';
import { RequestError } from '../../../server/problems/problems.ts';
import { withUpload } from '../../data/upload/receive-upload.ts';
import { addFileRoute } from '../../data/upload/upload-routes.ts';
import { uploadBox } from '../../elements.ts';
import { evaluationContent } from '../../evaluate/evaluation-page.ts';
import { flag, type Html, html, named } from '../../html.ts';
import { sendPage } from '../../page.ts';
import { MAX_FOOTER_BYTES, MAX_GROUP_BYTES, storedUpload } from '../../recognize-upload.ts';
import { requireScope, sessionOf } from '../../session/require-session.ts';
import { nameText } from '../../texts.ts';
import { formatOfRun } from '../download-routes.ts';
import type { RunContext } from '../runs.ts';
import type { StoredProgress } from '../stored-run.ts';
import { evaluateOutcomes } from './evaluate-outcomes.ts';

/** The columns of the output with given indices; one, several or none. */
const indices = z
  .union([z.array(z.coerce.number()), z.coerce.number().transform(each => [each])])
  .default([]);
const query = z.object({
  join: z.string().default(''),
  key: indices,
  by: indices,
  outcome: z.string().default(''),
});

/** An error that a page shows beside one of its fields. */
class FieldError extends RequestError {
  readonly field: string;
  constructor(field: string, detail: string) {
    super('invalid_csv', detail);
    this.field = field;
  }
}

/** The page of a finished run that takes a file of outcomes, and says whether its predictions came true. */
export const evaluationRoutes: FastifyPluginAsync<RunContext> = async (app, context) => {
  const { home, limits, data, runs, runOf, space } = context;
  const reading = {
    maxRecordBytes: limits.recordBytes,
    maxColumns: limits.columns,
    maxGroupBytes: MAX_GROUP_BYTES,
    maxFooterBytes: MAX_FOOTER_BYTES,
  };

  app.get('/runs/:id/evaluation', async (request, reply) => {
    const { principal } = sessionOf(request);
    const run = finished((await runOf(request)).value);
    const { id, file } = run;
    const report = await reportOf(run);
    const known = await runs.store.readEvaluation(id);
    const testing = principal.hasScope('report') ? known?.testing : undefined;
    return sendPage(request, reply, {
      title: `Evaluation of ${nameText(file)}`,
      current: '/runs',
      trail: [{ href: '/runs', text: 'Scoring' }],
      content: html`<div class="run-summary stack">${
        known === undefined
          ? html`<div class="page-head"><h1>Did the predictions of ${named(file)} come true?</h1></div>`
          : evaluationContent({ ...known, testing: testing ?? null })
      }
${evaluationForm(id, await columnsOf(run), report?.predicts ?? known?.predicts, known)}</div>`,
      styles: ['charts.css', 'run-summary.css'],
      scripts: ['upload.js'],
    });
  });

  await addFileRoute(app, context, '/platform/runs/:id/evaluation', async (request, reply, upload) => {
    const { value } = await runOf(request);
    requireScope(request, value.report, 'predict');
    const run = finished(value);
    const { id, file } = run;
    const { join, outcome, ...chosen } = query.parse(request.query);
    const report = await reportOf(run);
    const predict = report?.predicts ?? outcome;
    const { client, name } = upload;
    const evaluation = await withUpload(data, upload, async ({ incoming, profile, ...labels }) => {
      const names = profile.columns.map(column => column.name);
      const column = outcome || predict;
      if (!names.includes(column))
        throw new FieldError(
          'outcome',
          sanitize(
            `${name} has no column "${column}" with the outcome. Its columns are: ${formatList(names)}.`,
          ),
        );
      const scored = await columnsOf(run);
      const outcomes = names.filter(each => each !== column);
      const by = chosenOf('by', chosen.by, scored);
      const key = keyOf(join, chosenOf('key', chosen.key, scored), scored, outcomes, name);
      const job = {
        files: {
          ...reading,
          key,
          by,
          predict,
          scored: [runs.store.files(id).output],
          labels: [incoming.path],
          inputFormat: formatOfRun(run),
          delimiter: run.delimiter,
          ofLabels: { inputFormat: undefined, delimiter: labels.delimiter, column },
        },
        facts: {
          version: readVersion(),
          evaluated_at: new Date().toISOString(),
          report: run.report,
          predicts: predict,
          threshold: null,
          scored: [file],
          labels: name,
          testing: report === undefined ? null : testingFigures(report),
        },
      };
      return client.waits(evaluateOutcomes(job, client.gone));
    });
    const text = Buffer.byteLength(JSON.stringify(evaluation, null, 2));
    space.cover(id, (await runs.store.size(id)) + text);
    // The run may have been deleted meanwhile.
    finished((await runOf(request)).value);
    await runs.store.writeEvaluation(id, evaluation);
    space.set(id, await runs.store.size(id));
    return reply.code(201).header('location', `/runs/${id}/evaluation`).send(evaluation);
  });

  /** The report of a run, if it is still there and readable. */
  const reportOf = ({ report }: StoredProgress) => readReport(home, report).catch(() => undefined);

  /** The columns of the output, from its header. */
  async function columnsOf(run: StoredProgress): Promise<readonly string[]> {
    const source = await storedUpload(runs.store.files(run.id).output, run.file);
    try {
      const options = { ...reading, inputFormat: formatOfRun(run), delimiter: run.delimiter };
      return (await readLayout(source, options)).layout.names;
    } finally {
      source.close();
    }
  }
};

/** @throws RequestError `no_output` */
function finished(run: StoredProgress): StoredProgress {
  if (run.status === 'finished') return run;
  throw new RequestError('no_output', 'The run has no output to evaluate, because it did not finish.');
}

/** The columns of the output that were chosen. @throws FieldError */
function chosenOf(field: string, indices: readonly number[], columns: readonly string[]): string[] {
  if (indices.length > MAX_CHOSEN) throw new FieldError(field, `Choose at most ${MAX_CHOSEN} columns.`);
  const names = indices.map(index => columns[index]).filter(name => name !== undefined);
  const twice = names.find(name => columns.indexOf(name) !== columns.lastIndexOf(name));
  if (twice === undefined) return names;
  throw new FieldError(field, sanitize(`The output has two columns named "${twice}", so it cannot be used.`));
}

/**
 * The columns by which outcomes are joined; none if rows are in order.
 *
 * @param scored the columns of the output
 * @param outcomes those of the file of outcomes that may be a key
 * @param name of that file
 * @throws FieldError
 */
function keyOf(
  join: string,
  chosen: string[],
  scored: readonly string[],
  outcomes: readonly string[],
  name: string,
): string[] {
  const refused = (text: string): FieldError => new FieldError('join', sanitize(text));
  if (join === IN_ORDER) {
    if (chosen.length === 0) return [];
    throw refused('You have chosen columns, but also the order of rows. Choose one of them.');
  }
  const missing = chosen.filter(column => !outcomes.includes(column));
  if (missing.length > 0)
    throw refused(
      `${name} has no column ${formatList(missing.map(column => `"${column}"`))}. Its columns are: ${formatList(outcomes)}.`,
    );
  if (chosen.length > 0) return chosen;
  const shared = outcomes.filter(column => scored.includes(column));
  if (shared.length === 1) return shared;
  throw refused(
    shared.length === 0
      ? `${name} has no column of the output, so nothing says which outcome belongs to which row. The columns of the output are: ${formatList(scored)}.`
      : `Both files have the columns ${formatList(shared)}. Choose those that say which outcome belongs to which row.`,
  );
}

/** The choice of rows in order; that of a column is its index, because a name may be anything. */
const IN_ORDER = 'row';

/** Columns of a key, and of segments, that can be chosen: the figures of each segment take memory. */
const MAX_CHOSEN = 5;

const isPrediction = (column: string): boolean =>
  column.startsWith(`${DEFAULT_PREFIX}_`) || column.startsWith('predicted_');

/**
 * The form that takes a file of outcomes.
 *
 * @param columns of the output
 * @param known what was evaluated before, and chosen for it
 */
function evaluationForm(id: string, columns: readonly string[], predicts = '', known?: Evaluation): Html {
  const inOrder = known?.joined.by === 'row';
  const chosen = { key: known?.joined.key ?? [], by: known?.segments.map(({ by }) => by) ?? [] };
  const choices = (name: 'key' | 'by', label: string): Html =>
    html`<div class="check-list" role="group" aria-label="${label}" tabindex="0">${columns.map(
      (column, index) =>
        !isPrediction(column) &&
        html`<label class="check"><input type="checkbox" name="${name}" value="${index}" data-field${flag('checked', chosen[name].includes(column))}> <span>${nameText(column)}</span></label>`,
    )}</div>`;
  return html`
<section class="card stack" aria-labelledby="outcomes" data-upload="/platform/runs/${id}/evaluation">
<h2 id="outcomes">Outcomes</h2>
<p class="muted">A file that says what came true: for all of the scored rows, or for some. It is deleted once it is evaluated.</p>
<div class="field"><label for="outcome">Column with the outcome</label>
<input id="outcome" name="outcome" value="${predicts}" autocomplete="off" data-field></div>
<fieldset class="stack tight"><legend>Which outcome belongs to which row</legend>
<label class="check"><input type="radio" name="join" value="" data-field${flag('checked', !inOrder)}> <span>These columns have the same values in both files <span class="muted">(choose none if there is only one such column)</span></span></label>
${choices('key', 'Columns that both files have')}
<label class="check"><input type="radio" name="join" value="${IN_ORDER}" data-field${flag('checked', inOrder)}> <span>Both files have the same rows in the same order</span></label>
</fieldset>
<fieldset class="stack tight"><legend>Also evaluate each value of <span class="muted">(optional)</span></legend>
${choices('by', 'Columns whose values are evaluated on their own')}
<p class="hint">Such as a month or a region: at most ${MAX_CHOSEN} columns, and 50 values of each.</p>
</fieldset>
${uploadBox('Choose the outcomes', html`<p data-again hidden><button class="button" type="button">Evaluate the same file again</button></p>`)}
</section>`;
}
