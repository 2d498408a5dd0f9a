import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defaultProtocol } from '../../base/contract/protocol-names.ts';
import type { NumbersReport, TrainedReport } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { storeAccess } from '../../base/options/store.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import type { HistoryValues, RunValues } from '../../base/options/values/run-values.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import { schemeOf } from '../../base/scheme.ts';
import { commandOf } from '../../base/shell-word.ts';
import { readTable, type Table } from '../../formats/read-table.ts';
import { loadTrusted } from '../../library/definition/check-trust.ts';
import { endOptionsIn } from '../../library/definition/end-options-in.ts';
import type { Definition } from '../../library/definition/inspect-definition.ts';
import type { Setting } from '../../library/definition/settings.ts';
import { findHistory } from '../../library/history-files.ts';
import { chooseService, flagsOfAddress } from '../../library/service/choose-service.ts';
import { combineExitCodes } from '../../library/several/combine-exit-codes.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { UsedFile } from '../../storage/target.ts';
import type { Context } from '../context.ts';
import { checkOutputs, definitionFiles, withSettings } from '../definitions.ts';
import { eachFile } from '../each-file.ts';
import { tellingEnd } from '../ending/telling-end.ts';
import { readJob } from '../score/read-job.ts';
import { alignColumns, printText } from '../terminal/print.ts';
import { describeReport } from '../terminal/report-text.ts';
import { checkPaths, recordEarlyEnd, recordStart, runScore } from './score.ts';
import { historyNames, runTrain } from './train.ts';

/**
 * Runs definitions, one after the other. All are read before the first is run. One that fails does not stop the others,
 * unless `--fail-fast` is given.
 */
export async function run(given: Context): Promise<number> {
  const files = definitionFiles(given);
  if (given.flags['dry-run'] === true) {
    const { planDefinitions } = await import('./plan.ts');
    // Only `plan` itself writes shards.
    return planDefinitions({ ...given, flags: { ...given.flags, shards: undefined } }, files);
  }
  const { context, settings } = withSettings(given);
  const definitions = await loadAll(files, context, settings);
  const [only] = definitions;
  if (definitions.length === 1 && only !== undefined) return runDefinition(context, only);
  const codes = await eachFile(
    context,
    definitions,
    {
      nameOf: ({ file }) => file,
      isLast: code => code > ExitCode.someRejected && context.flags['fail-fast'] === true,
    },
    definition => runDefinition(context, definition),
  );
  return combineExitCodes(
    codes,
    codes.includes(ExitCode.someRejected) ? ExitCode.someRejected : ExitCode.done,
  );
}

/** Reads all definitions. If one is wrong, none is run, and whom they name is told so. @throws as `loadTrusted` */
async function loadAll(
  files: readonly string[],
  context: Context,
  settings: readonly Setting[],
): Promise<Definition[]> {
  const definitions: Definition[] = [];
  try {
    for (const file of files) definitions.push(await loadTrusted(file, context, settings));
    if (definitions.length > 1) checkOutputs(definitions, context.flags);
    return definitions;
  } catch (error) {
    const ends = new Map<string, Awaited<ReturnType<typeof endOptionsIn>>>();
    for (const file of files) {
      const end = await endOptionsIn(file, context.flags);
      ends.set(JSON.stringify({ ...end, ...context.flags }), end);
    }
    for (const end of ends.values())
      await tellingEnd('run', { ...context, defined: end }, async ({ onOutcome }) => {
        onOutcome?.({ definition: formatList(files) });
        throw error;
      }).catch(() => {}); // thrown below
    throw error;
  }
}

/** Runs a definition, and tells whom it names how that has ended. */
const runDefinition = (given: Context, definition: Definition): Promise<number> =>
  tellingEnd('run', { ...given, defined: definition.score }, context => {
    context.onOutcome?.({ definition: definition.file });
    return trainAndScore(context, definition);
  });

/**
 * Runs a definition: trains its report, if it has a `train` section, and scores its rows. If the rows go to a file and
 * stdout is a terminal, a preview is printed to it.
 */
async function trainAndScore(given: Context, definition: Definition): Promise<number> {
  const { file, train, outputAsWritten } = definition;
  const context = { ...given, isTrained: train !== undefined, outputAsWritten };
  const reads = [
    { at: file, what: 'the definition', option: '-o' },
    ...(train === undefined ? [] : await historyReads(train)),
  ];
  context.log.info({ event: 'definition_started', definition: file }, `running ${file}`);
  const job = await readJob(context, reads);
  // Training takes long, so errors in the paths of the scoring run are reported before it.
  if (train !== undefined) {
    await checkPaths(job);
    await recordStart(job);
  }
  const trained =
    train &&
    (await trainLocally(context, train, file).catch(async error => {
      await recordEarlyEnd(context, job, error);
      throw error;
    }));
  if (trained !== undefined && !trained.isSkipped) {
    const { report } = trained;
    if (context.logFormat === 'json')
      context.log.info({ event: 'report_trained', report }, `report ${report.id} is trained`);
    else process.stderr.write(`\n${describeReport(report.id, report)}\n`);
  }
  const code = await runScore({ ...context, history: historyOf(train, trained?.report) }, reads);

  const { isMany, inputs, values } = job;
  const [input = '-'] = inputs;
  const { output, delimiter, quote } = values;
  const isLocal = [input, output].every(name => name !== '-' && schemeOf(name) === undefined);
  if (isMany || !isLocal) return code;
  if (process.stdout.isTTY) await printPreview({ input, output, delimiter, quote });
  const more =
    values.protocol === defaultProtocol ? `, or run: ${reportCommand(context, values.report)}` : '';
  context.log.info({ event: 'next_step' }, `next: see ${output}${more}`);
  return code;
}

/** The files of a history; training reports what is wrong with their names. */
async function historyReads(train: NonNullable<Definition['train']>): Promise<UsedFile[]> {
  try {
    const stores = resolveValues(storeAccess, {}, train);
    const { historyFile, furtherFiles } = await findHistory(historyNames(train), stores);
    return [historyFile, ...furtherFiles].map(at => ({ at, what: 'the history', option: '-o' }));
  } catch (error) {
    if (error instanceof RowcastError) return [];
    throw error;
  }
}

/** What a report was trained from, if the definition compares it again in its next run. */
function historyOf(
  train: Definition['train'],
  report: TrainedReport | NumbersReport | undefined,
): HistoryValues | undefined {
  const sha256 = report?.trained_from.history_sha256;
  if (typeof sha256 !== 'string' || train === undefined || train['if-exists'] === 'skip') return undefined;
  const names = historyNames(train);
  const [only] = names;
  if (names.some(name => name === '-' || schemeOf(name) !== undefined) || only === undefined)
    return undefined;
  return { path: names.length === 1 ? resolve(only) : names.map(name => resolve(name)), sha256 };
}

/** @throws RowcastError `usage` if a service, which does not have the report, would predict */
async function trainLocally(
  context: Context,
  train: NonNullable<Definition['train']>,
  file: string,
): ReturnType<typeof runTrain> {
  if (chooseService(context).kind === 'remote')
    throw new RowcastError('usage', 'its report is trained on this machine, but a service would predict', {
      location: { file },
      hint: 'Unset ROWCAST_URL, leave out the URL, or remove train: from the definition.',
    });
  return runTrain({ ...context, flags: { home: context.flags.home } }, train);
}

const HEAD_BYTES = 64 << 10;
const PREVIEWED_ROWS = 5;
const CELL = 26;

/** Prints the first rows of an output, if it is a CSV: the first column, and the appended ones. */
async function printPreview({
  input,
  output,
  ...dialect
}: Pick<RunValues, 'input' | 'output' | 'delimiter' | 'quote'>): Promise<void> {
  try {
    const { header: names } = await readHead(input, dialect);
    const { header, rows } = await readHead(output, dialect);
    const cells = [header, ...rows.slice(0, PREVIEWED_ROWS)].map(([first = '', ...row]) =>
      [first, '…', ...row.slice(names.length - 1)].map(cell => sanitize(cell).slice(0, CELL)),
    );
    await printText(`\n${alignColumns(cells)}`);
  } catch (error) {
    // The file is no text, or one of its first rows is malformed, and in the rejects. The run is finished all the same.
    if (!(error instanceof RowcastError)) throw error;
  }
}

/** Reads the complete lines at the beginning of a file as a table. */
async function readHead(file: string, options: Pick<RunValues, 'delimiter' | 'quote'>): Promise<Table> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const whole = bytesRead < HEAD_BYTES ? bytesRead : buffer.lastIndexOf('\n') + 1;
    return await readTable(buffer.subarray(0, whole), { ...options, file });
  } finally {
    await handle.close();
  }
}

/** The command that shows the report of a run. */
function reportCommand(context: Context, report = ''): string {
  const service = flagsOfAddress(chooseService(context), context.env);
  return commandOf('report', [report, ...service]);
}
