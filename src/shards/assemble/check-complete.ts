import { RowcastError } from '../../base/errors.ts';
import { countOf, partOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { runOutputsOf } from '../../runs/paths/run-files.ts';
import type { Backends } from '../../storage/backends.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { doneName } from '../folder/names.ts';
import { partOutput } from '../folder/part-output.ts';
import type { ShardedRun } from '../folder/read-run.ts';
import type { ShardFailure } from '../folder/result-shape.ts';
import type { OutputPart } from './file-parts.ts';

/** Shards that a message names. */
const NAMED = 5;

/**
 * Refuses a run that has no result for each shard.
 *
 * @param workCommand the command that scores a shard
 * @throws RowcastError `shards_failed` if one was given up; `unfinished_shards`
 */
export function checkComplete(
  { folder, shards, isPlanned, results, failures }: Omit<ShardedRun, 'plan'>,
  workCommand: (shard: number) => string,
): void {
  const location = { file: folder.path };
  if (failures.size > 0) throw shardsFailed(folder.path, [...failures.values()], workCommand);
  if (!isPlanned)
    throw new RowcastError(
      'unfinished_shards',
      `the plan is not finished; it has ${countOf(shards.length, 'shard')} so far`,
      {
        severity: 'temporary',
        location,
        hint: 'Wait for it, or run the rowcast plan command again: it goes on where it was stopped.',
      },
    );
  const missing = shards.map(({ shard }) => shard).filter(shard => !results.has(shard));
  if (missing.length === 0) return;
  throw unfinished(
    folder.path,
    `${partOf(missing.length, shards.length, 'shard', ['is', 'are'])} not finished: ${listed(missing.map(String), ', ')}`,
    `Wait for the workers, or run: ${commandsOf(missing, workCommand)}`,
  );
}

const commandsOf = (numbers: readonly number[], workCommand: (shard: number) => string): string =>
  numbers.slice(0, NAMED).map(workCommand).join('; ') + (numbers.length > NAMED ? '; and so on' : '');

/** The error of a run some of whose shards were given up. */
export function shardsFailed(
  file: string,
  failures: readonly ShardFailure[],
  workCommand: (shard: number) => string,
): RowcastError {
  const each = failures.map(
    ({ shard, attempts, error }) =>
      `shard ${shard} after ${attempts} attempts: ${sanitize(error.message)} [${sanitize(error.code)}]`,
  );
  const numbers = failures.map(({ shard }) => shard);
  return new RowcastError('shards_failed', `given up: ${listed(each, '; ')}`, {
    severity: 'stopped',
    location: { file },
    hint: `Remove the cause, then run: ${commandsOf(numbers, workCommand)}`,
  });
}

export const unfinished = (file: string, message: string, hint: string): RowcastError =>
  new RowcastError('unfinished_shards', message, { severity: 'temporary', location: { file }, hint });

const listed = (items: readonly string[], separator: string): string =>
  items.slice(0, NAMED).join(separator) + (items.length > NAMED ? ` and ${items.length - NAMED} more` : '');

/**
 * Checks that parts are whole. The result of one that is not is withdrawn, so that its shard is scored again.
 *
 * @param where `files` reads the parts that are local files
 * @throws RowcastError `unfinished_shards`
 */
export async function checkParts(
  folder: SharedFolder,
  where: { files: Files; backends: Backends },
  parts: readonly OutputPart[],
  workCommand: (shard: number) => string,
): Promise<void> {
  for (const part of parts) {
    if (await isWhole(part, where)) continue;
    await folder.remove(doneName(part.shard));
    throw unfinished(
      part.path,
      `the part of shard ${part.shard} is gone or damaged; the shard must be scored again`,
      `Run: ${workCommand(part.shard)}`,
    );
  }
}

async function isWhole(
  { path, result }: OutputPart,
  { files, backends }: { files: Files; backends: Backends },
): Promise<boolean> {
  const { output, rejects } = runOutputsOf(await partOutput(path, backends, files));
  return (await output.isPublished(result.output)) && (await rejects.isPublished(result.rejects));
}
