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

/** Waits until inputs are there and complete, once for all of them. */
export class InputWait {
  readonly #options: InputWaitOptions;
  readonly #end: number;
  /** What was seen of the inputs, and since when. */
  #seen = '';
  #since = 0;
  /** What was seen when they were read last. */
  #read = '';

  /** @throws RowcastError `bad_option`, `usage` */
  constructor(options: InputWaitOptions) {
    const { readyFile, inputs, waitForInput } = options;
    if (readyFile !== undefined && /^\.{0,2}$|[\\/]/.test(readyFile))
      throw new RowcastError('bad_option', '--ready-file: expected the name of a file, without its folder', {
        hint: 'It is looked for in the folder of each input.',
      });
    if (inputs.includes('-'))
      throw new RowcastError('usage', '--wait-for-input and --ready-file have no effect on stdin', {
        hint: 'Give the path of a file.',
      });
    this.#options = options;
    this.#end = (options.begun ?? performance.now()) + waitForInput * 1000;
  }

  /**
   * Waits for the inputs.
   *
   * @throws RowcastError `input_not_ready` at the end of the time; what is wrong with an input and will not pass
   * @throws Interrupted
   */
  async arrived(): Promise<void> {
    for (;;) {
      const problem = await this.#look();
      if (problem === undefined) return;
      await this.#next(problem);
    }
  }

  /**
   * Waits for the inputs just before they are read.
   *
   * @param isAgain whether they were read before, and have turned out to end too early
   * @throws as `arrived`
   */
  async beforeReading(isAgain: boolean): Promise<void> {
    if (isAgain || this.#options.hasArrived !== true) await this.arrived();
    else await this.#look();
    this.#read = this.#seen;
  }

  /**
   * Waits until inputs that turned out to end too early have changed, so that they can be read again.
   *
   * @throws the error if it is another one; RowcastError `input_not_ready` at the end of the time; Interrupted
   */
  async changedAfter(error: unknown): Promise<void> {
    // A producer that has said that it is done does not go on.
    if (!isUnfinished(error) || this.#options.readyFile !== undefined) throw error;
    const [file = ''] = this.#options.inputs;
    await this.#look();
    while (this.#seen === this.#read) {
      await this.#next({ file, why: error.message });
      await this.#look();
    }
  }

  /** Waits until the next look. @throws RowcastError `input_not_ready`; Interrupted */
  async #next(problem: NotReady & { isPassing?: boolean }): Promise<void> {
    const { inputs, stop, onWaiting, waitForInput } = this.#options;
    const isAway = inputs.some(name => schemeOf(name) !== undefined);
    const { lookMs = isAway ? LOOK_AWAY_MS : LOOK_MS } = this.#options;
    const left = this.#end - performance.now();
    // What has just arrived is given the time to prove that it is complete.
    if (left <= 0 && problem.isPassing !== true) throw notReady(problem, waitForInput);
    onWaiting?.({ file: problem.file, why: problem.why, left: Math.max(0, left) / 1000 });
    await sleep(problem.isPassing === true ? lookMs : Math.min(lookMs, Math.max(left, 1)), undefined, {
      signal: stop,
    }).catch(() => {
      throw new Interrupted(stop);
    });
  }

  /** Looks at all inputs. @returns undefined if they are there and complete */
  async #look(): Promise<(NotReady & { isPassing?: boolean }) | undefined> {
    const { inputs, readyFile, backends, stop, stableMs = STABLE_MS } = this.#options;
    const now = Date.now();
    const seen: unknown[] = [];
    const folders = new Set<string>();
    let youngest = 0;
    for (const name of inputs) {
      const isMany = await isPattern(name, backends, stop);
      const paths = isMany ? await namesMatching(name, backends, stop) : [name];
      if (paths.length === 0) return this.#missing(name, 'no file matches the pattern');
      for (const path of paths) {
        folders.add(folderOf(path));
        // An object appears when it is complete.
        const isListed = isMany && schemeOf(path) !== undefined;
        const version = isListed ? undefined : await versionOf(path, backends, stop);
        if (!isListed && version === undefined) {
          const why = await whyMissing(path, backends, stop);
          if (why !== undefined) return this.#missing(path, why);
        }
        // That a single file is empty is found when it is read; a pipe has no size.
        if (version?.size === 0 && (isMany || inputs.length > 1)) return this.#missing(path, 'it is empty');
        seen.push(path, version);
        const isHere = schemeOf(path) === undefined && version !== undefined;
        youngest = Math.max(youngest, isHere ? version.modified : now);
      }
    }
    const state = JSON.stringify(seen);
    const at = performance.now();
    if (state !== this.#seen) [this.#seen, this.#since] = [state, at];
    if (readyFile !== undefined) {
      for (const folder of folders) {
        const file = fileIn(folder, readyFile);
        if ((await versionOf(file, backends, stop)) === undefined)
          return { file, why: 'the file that says that the input is complete is not there' };
      }
      return undefined;
    }
    const isOld = youngest <= now - OLD_MS;
    if (isOld || at - this.#since >= stableMs) return undefined;
    return {
      file: inputs.join(', '),
      why: 'it is new, and may still be written',
      isPassing: this.#since < this.#end,
    };
  }

  #missing(file: string, why: string): NotReady {
    this.#seen = '';
    return { file, why };
  }
}

/** The wait of a run for its inputs; undefined if it waits for none. @throws as the constructor */
export const inputWait = (options: InputWaitOptions): InputWait | undefined =>
  options.waitForInput > 0 || options.readyFile !== undefined ? new InputWait(options) : undefined;

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
