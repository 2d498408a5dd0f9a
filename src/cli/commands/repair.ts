import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';
import { jsonOption } from '../../base/options/observability.ts';
import { repairOptions } from '../../base/options/repair.ts';
import { resolveValues, type Values } from '../../base/options/values/resolve-options.ts';
import { combineExitCodes } from '../../library/several/combine-exit-codes.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import { repair } from '../../runs/repair/repair.ts';
import { findInputs } from '../../runs/several/input-files.ts';
import { fillPattern, isOutputPattern } from '../../runs/several/output-pattern.ts';
import { checkIsPattern, pairFiles } from '../../runs/several/pair-files.ts';
import { type Backends, backendsOf, isPattern, versionOf } from '../../storage/backends.ts';
import { isLocalFolder } from '../../storage/folders.ts';
import { followLinks } from '../../storage/local/sibling-path.ts';
import { usageError } from '../arguments/usage-error.ts';
import type { Context } from '../context.ts';
import { definedBy } from '../defined-by.ts';
import { eachFile } from '../each-file.ts';
import { fileOptions, filesInFolder, filesOfRuns } from '../finished-files.ts';
import { untilStopped } from '../signals.ts';
import { describePlaced, describeRepaired, type RepairOfFile } from '../terminal/files-text.ts';
import { printJson } from '../terminal/print.ts';

/** An output with the scored corrections of its rejects. */
interface FileToRepair {
  output: string;
  corrected: string;
  /** Undefined: next to the output. */
  rejects: string | undefined;
}

/** Puts corrected and scored rejects back into their places. */
export async function run(given: Context): Promise<number> {
  const { flags, log } = given;
  const taken = flags.output === undefined ? fileOptions : {};
  const context = await definedBy(given, { ...repairOptions, ...taken });
  const values = resolveValues(repairOptions, flags, context.defined);
  const accepted = acceptedRejects(context, values);
  const { json } = resolveValues(jsonOption, flags);
  const among = backendsOf(values);
  const { repairs, areMany } = await filesToRepair(context, values, among);
  const files: RepairOfFile[] = [];
  let left = 0;
  const repairFile = async (file: FileToRepair, stop: AbortSignal): Promise<number> => {
    const { output, corrected } = file;
    try {
      if (areMany && (await isUncorrected(file, among))) {
        const isLeft = await hasRejects(file);
        files.push({ output, corrected: null, hasRejects: isLeft, rows: null });
        return isLeft ? ExitCode.someRejected : ExitCode.done;
      }
      let how = '';
      const onComparison = (preserves: string): void => {
        how = preserves === 'values' ? ' by its values' : '';
      };
      const rows = await repair({ ...values, ...file, stop, onComparison }).catch(error => {
        throw stop.aborted ? new Interrupted(stop) : error;
      });
      log.info({ event: 'repaired', rows }, describePlaced(output, rows, how, accepted));
      files.push({ output, corrected, hasRejects: rows.left > 0, rows });
      left += rows.left;
      return rows.left === 0 || (!areMany && left <= accepted) ? ExitCode.done : ExitCode.someRejected;
    } catch (error) {
      if (error instanceof RowcastError) {
        const { code, message } = error;
        files.push({ output, corrected, hasRejects: null, rows: null, error: { code, message } });
      }
      throw error;
    }
  };
  return untilStopped(log, { onSecond: () => {} }, async stop => {
    if (!areMany) {
      const [file] = repairs;
      const code =
        file && repairFile(file, stop).finally(() => json && printJson({ format: 1, ...files[0] }));
      return (await code) ?? ExitCode.done;
    }
    const codes = await eachFile(context, repairs, { nameOf: ({ output }) => output }, file =>
      repairFile(file, stop),
    );
    const isUncorrectedLeft = files.some(({ rows, hasRejects }) => rows === null && hasRejects === true);
    const isLeft = codes.includes(ExitCode.someRejected) && (left > accepted || isUncorrectedLeft);
    const code = combineExitCodes(codes, isLeft ? ExitCode.someRejected : ExitCode.done);
    const isFailed = code > ExitCode.someRejected;
    log[isFailed ? 'error' : 'info'](
      { event: 'files_repaired', files: files.length },
      describeRepaired(files),
    );
    if (json) await printJson({ format: 1, files });
    return code;
  });
}

/** @throws RowcastError `usage`; as `filesOfRuns`, `filesInFolder` and `pairFiles` */
async function filesToRepair(
  context: Context,
  { rejects }: Values<typeof repairOptions>,
  among: Backends,
): Promise<{ repairs: readonly FileToRepair[]; areMany: boolean }> {
  const { output, corrected, ...flags } = context.flags;
  const names = [output ?? []].flat().map(String);
  const [first, ...others] = names;
  if (first === undefined && flags.definition === undefined)
    throw usageError('missing argument: OUTPUT', { name: 'repair' });
  const isAlone = corrected === undefined && others.length === 0;
  if (first === undefined || (isAlone && (await isLocalFolder(first)))) {
    const { pairs, areMany } =
      first === undefined ? await filesOfRuns({ ...context, flags }) : await filesInFolder(first, among);
    return { areMany, repairs: pairs.map(pair => ({ ...pair, corrected: defaultCorrected(pair.output) })) };
  }
  const pattern = corrected === undefined ? undefined : String(corrected);
  const areMany =
    others.length > 0 ||
    (pattern !== undefined && isOutputPattern(pattern)) ||
    (await isPattern(first, among));
  if (!areMany)
    return { areMany, repairs: [{ output: first, corrected: pattern ?? defaultCorrected(first), rejects }] };
  const outputs = await findInputs(names, among);
  if (pattern !== undefined) {
    const pairs = await pairFiles(outputs, { output: pattern, rejects, outputOption: 'CORRECTED' });
    const repairs = pairs.map(pair => ({
      output: pair.input,
      corrected: pair.output,
      rejects: pair.rejects,
    }));
    return { areMany, repairs };
  }
  checkIsPattern('--rejects', rejects, outputs.length);
  const repairs = outputs.map((file, index) => ({
    output: file.path,
    corrected: defaultCorrected(file.path),
    rejects: rejects === undefined ? undefined : fillPattern(rejects, file, index + 1),
  }));
  return { areMany, repairs };
}

/**
 * How many rows may stay rejected. A definition may have a share of the rows of a run, which is not known here.
 *
 * @throws RowcastError `usage` for a share on the command line
 */
function acceptedRejects(
  { flags }: Context,
  { rejectsOk = { rows: 0 } }: Values<typeof repairOptions>,
): number {
  if ('rows' in rejectsOk) return rejectsOk.rows;
  if (flags['rejects-ok'] === undefined) return 0;
  throw usageError('--rejects-ok: repair takes a number of rows, not a percentage', { name: 'repair' });
}

/** Where the last message of a run with rejects has their corrections scored to. */
const defaultCorrected = (output: string): string => `${output}.corrected`;

const isUncorrected = async ({ corrected }: FileToRepair, among: Backends): Promise<boolean> =>
  corrected !== '-' && (await versionOf(corrected, among)) === undefined;

const hasRejects = async ({ output, rejects }: FileToRepair): Promise<boolean> =>
  (await versionOf(rejects ?? runFilesOf(await followLinks(output)).rejects)) !== undefined;
