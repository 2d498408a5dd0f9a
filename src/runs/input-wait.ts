import { setTimeout as sleep } from 'node:timers/promises';
import { RowcastError } from '../base/errors.ts';
import { Interrupted } from '../base/interrupted.ts';
import { durationOf } from '../base/number-text.ts';
import { schemeOf } from '../base/scheme.ts';
import { type Backends, isPattern, namesMatching, openSource, versionOf } from '../storage/backends.ts';
import { fileIn, folderOf } from '../storage/folders.ts';
import type { Source } from '../storage/source.ts';

/** An input is complete when nothing of it has changed for this long. */
const STABLE_MS = 5_000;
/** A file of this machine that was not modified for this long is not watched first. */
const OLD_MS = 60_000;
/** Between two looks at files, and at objects and files of web servers. */
const LOOK_MS = 1_000;
const LOOK_AWAY_MS = 5_000;

/** Why an input cannot be read yet. */
interface NotReady {
  /** The file, pattern or URL that is not ready. */
  file: string;
  /** What is wrong with it, in a few words. */
  why: string;
}

/** What observers get while a run waits for its input. */
export interface Waiting extends NotReady {
  /** In seconds. */
  left: number;
}

export interface InputWaitOptions {
  /** Paths, patterns and URLs. */
  inputs: readonly string[];
  /** In seconds. */
  waitForInput: number;
  /** The name of a file that is in the folder of each input once that is complete. */
  readyFile?: string | undefined;
  backends?: Backends | undefined;
  stop: AbortSignal;
  /** Called when the waiting begins, when it waits for something else, and at each further look. */
  onWaiting?: ((waiting: Waiting) => void) | undefined;
  /** When the time began, by `performance.now()`; by default now. */
  begun?: number | undefined;
  /** Whether the inputs were waited for before, and are only waited for again if they turn out to end too early. */
  hasArrived?: boolean | undefined;
  /** Milliseconds; tests do not wait for long. */
  stableMs?: number | undefined;
  lookMs?: number | undefined;
}

/** What is seen of inputs that are not all there and complete. */
type Problem = NotReady & { isPassing?: boolean };

/**
 * The wait of a run until its inputs are there and complete, once for all of them.
 *
 * @returns undefined if it waits for none
 * @throws RowcastError `bad_option`, `usage`
 */
export function inputWait({ inputs, waitForInput, readyFile, backends, stop, ...options }: InputWaitOptions) {
  if (waitForInput <= 0 && readyFile === undefined) return undefined;
  if (readyFile !== undefined && /^\.{0,2}$|[\\/]/.test(readyFile))
    throw new RowcastError('bad_option', '--ready-file: expected the name of a file, without its folder', {
      hint: 'It is looked for in the folder of each input.',
    });
  if (inputs.includes('-'))
    throw new RowcastError('usage', '--wait-for-input and --ready-file have no effect on stdin', {
      hint: 'Give the path of a file.',
    });
  const end = (options.begun ?? performance.now()) + waitForInput * 1000;
  const isAway = inputs.some(name => schemeOf(name) !== undefined);
  const { lookMs = isAway ? LOOK_AWAY_MS : LOOK_MS, stableMs = STABLE_MS, onWaiting } = options;
  /** What was seen of the inputs, and since when; and what was seen when they were read last. */
  let [seen, since, read] = ['', 0, ''];

  /** Waits until the next look. @throws RowcastError `input_not_ready`; Interrupted */
  const next = async ({ isPassing = false, ...problem }: Problem): Promise<void> => {
    const left = end - performance.now();
    // What has just arrived is given the time to prove that it is complete.
    if (left <= 0 && !isPassing) throw notReady(problem, waitForInput);
    onWaiting?.({ ...problem, left: Math.max(0, left) / 1000 });
    const ms = isPassing ? lookMs : Math.min(lookMs, Math.max(left, 1));
    await sleep(ms, undefined, { signal: stop }).catch(() => {
      throw new Interrupted(stop);
    });
  };

  const missing = (file: string, why: string): Problem => {
    seen = '';
    return { file, why };
  };

  /** Looks at all inputs. @returns undefined if they are there and complete */
  const look = async (): Promise<Problem | undefined> => {
    const now = Date.now();
    const found: unknown[] = [];
    const folders = new Set<string>();
    let youngest = 0;
    for (const name of inputs) {
      const isMany = await isPattern(name, backends, stop);
      const paths = isMany ? await namesMatching(name, backends, stop) : [name];
      if (paths.length === 0) return missing(name, 'no file matches the pattern');
      for (const path of paths) {
        folders.add(folderOf(path));
        // An object appears when it is complete.
        const isListed = isMany && schemeOf(path) !== undefined;
        const version = isListed ? undefined : await versionOf(path, backends, stop);
        if (!isListed && version === undefined) {
          const why = await whyMissing(path, backends, stop);
          if (why !== undefined) return missing(path, why);
        }
        // That a single file is empty is found when it is read; a pipe has no size.
        if (version?.size === 0 && (isMany || inputs.length > 1)) return missing(path, 'it is empty');
        found.push(path, version);
        const isHere = schemeOf(path) === undefined && version !== undefined;
        youngest = Math.max(youngest, isHere ? version.modified : now);
      }
    }
    const state = JSON.stringify(found);
    const at = performance.now();
    if (state !== seen) [seen, since] = [state, at];
    if (readyFile !== undefined) {
      for (const folder of folders) {
        const file = fileIn(folder, readyFile);
        if ((await versionOf(file, backends, stop)) === undefined)
          return { file, why: 'the file that says that the input is complete is not there' };
      }
      return undefined;
    }
    if (youngest <= now - OLD_MS || at - since >= stableMs) return undefined;
    return {
      file: inputs.join(', '),
      why: 'it is new, and may still be written',
      isPassing: since < end,
    };
  };

  /**
   * Waits for the inputs.
   *
   * @throws RowcastError `input_not_ready` at the end of the time; what is wrong with an input and will not pass
   * @throws Interrupted
   */
  const arrived = async (): Promise<void> => {
    for (let problem = await look(); problem !== undefined; problem = await look()) await next(problem);
  };

  return {
    arrived,

    /**
     * Waits for the inputs just before they are read.
     *
     * @param isAgain whether they were read before, and have turned out to end too early
     * @throws as `arrived`
     */
    async beforeReading(isAgain: boolean): Promise<void> {
      if (isAgain || options.hasArrived !== true) await arrived();
      else await look();
      read = seen;
    },

    /**
     * Waits until inputs that turned out to end too early have changed, so that they can be read again.
     *
     * @throws the error if it is another one; RowcastError `input_not_ready` at the end of the time; Interrupted
     */
    async changedAfter(error: unknown): Promise<void> {
      // A producer that has said that it is done does not go on.
      if (!isUnfinished(error) || readyFile !== undefined) throw error;
      const [file = ''] = inputs;
      await look();
      while (seen === read) {
        await next({ file, why: error.message });
        await look();
      }
    },
  };
}

/** Whether an input may be read to its end later, when another program has written the rest of it. */
const isUnfinished = (error: unknown): error is RowcastError =>
  error instanceof RowcastError && (error.isUnfinished || error.code === 'input_changed');

/** @param waited in seconds */
function notReady({ file, why }: NotReady, waited: number): RowcastError {
  const time = waited === 0 ? '' : ` (waited ${durationOf(waited)})`;
  return new RowcastError('input_not_ready', `the input is not ready: ${why}${time}`, {
    severity: 'temporary',
    location: { file },
    hint: 'Try again: run the same command. If it should be there by now, check its name and the program that writes it.',
  });
}

/** Whether an input that has no rows, or ends too early, is taken for one that is not complete yet. */
export const waitsForRows = ({
  waitForInput,
  readyFile,
}: Pick<InputWaitOptions, 'waitForInput' | 'readyFile'>) => waitForInput > 0 && readyFile === undefined;

/** Added to the hint of an input that ends too early. */
const WAIT_HINT = 'If another program still writes it, wait for it with --wait-for-input. ';

/** What a run can do about an input that ends too early. */
export interface EarlyEnd extends Pick<InputWaitOptions, 'waitForInput' | 'readyFile'> {
  /** Whether it is read again once it has changed. */
  isReadAgain: boolean;
}

/**
 * Judges an error of an input that ends too early: another program may still write it.
 *
 * @returns `input_not_ready` if it does, else the same error with a hint
 */
export async function judgeEnd(
  error: unknown,
  source: Pick<Source, 'name' | 'isLive' | 'checkUnchanged'>,
  options: EarlyEnd,
): Promise<unknown> {
  if (!isUnfinished(error) || source.isLive) return error;
  const { waitForInput } = options;
  if (waitsForRows(options))
    return options.isReadAgain ? error : notReady({ file: source.name, why: error.message }, waitForInput);
  if (!error.isUnfinished) return error;
  const change: unknown = await source.checkUnchanged().catch((changed: unknown) => changed);
  if (change instanceof RowcastError && change.code === 'input_changed')
    return notReady({ file: source.name, why: `${error.message}, and another program still writes it` }, 0);
  if (waitForInput === 0 && options.readyFile === undefined)
    // Before a command, which ends a hint.
    error.hint = error.hint && WAIT_HINT + error.hint.replace(WAIT_HINT, '');
  return error;
}

/** Whether nothing of a run can be continued: its input will have other bytes. */
export const isWorthless = (error: unknown, options: EarlyEnd): boolean =>
  (error instanceof RowcastError && error.code === 'input_not_ready') ||
  (waitsForRows(options) && isUnfinished(error));

/** Errors with which a store may also say that there is no such object: see docs/stores.md, permissions. */
const MAY_BE_MISSING = new Set(['no_such_file', 'store_access_denied', 'store_unavailable']);

/** Why a file cannot be opened; undefined if it can. @throws RowcastError if waiting does not help; Interrupted */
async function whyMissing(path: string, among: Backends | undefined, stop: AbortSignal) {
  try {
    (await openSource(path, false, undefined, among, stop)).close();
    return undefined;
  } catch (error) {
    if (error instanceof RowcastError && MAY_BE_MISSING.has(error.code)) return error.message;
    throw error;
  }
}
