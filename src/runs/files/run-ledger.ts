import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { RowcastError } from '../../errors.ts';
import { privateAccess } from '../../storage/local/access.ts';
import { replaceFile } from '../../storage/local/atomic-write.ts';
import { diskFiles } from '../../storage/local/durable-files.ts';
import { lockOf } from '../../storage/local/locks/lock-file.ts';
import { takeLock } from '../../storage/local/locks/output-lock.ts';
import { isMissing } from '../../storage/local/missing.ts';

const version = z.object({ size: z.number(), modified: z.number() });

/** A finished run: what it read, what it wrote and how. */
const finishedRun = z.object({
  run_id: z.string(),
  input: version.extend({ path: z.string() }),
  output: version,
  /** Service, report and options, whatever affects the output. */
  options: z.record(z.string(), z.string()),
  exit_code: z.number(),
  rows: z.object({ read: z.number(), rejected: z.number() }),
  finished_at: z.string(),
});
export type FinishedRun = z.infer<typeof finishedRun>;

const ledgerFile = z.object({ format: z.literal(1), runs: z.record(z.string(), finishedRun) });
type Runs = z.infer<typeof ledgerFile>['runs'];

/** An input and its output by path, and what is done with them. */
export interface LedgerKey {
  input: string;
  output: string;
  options: Readonly<Record<string, string>>;
}

/** Minimum time between two writes: each writes the whole file. */
const WRITE_EVERY_MS = 1_000;
const LOCK_TRIES = 100;
const LOCK_WAIT_MS = 50;

/**
 * The finished runs of a folder of outputs, in `.rowcast-runs.json`: what tells an output that is finished and unchanged
 * from one that is merely there. Without it, runs are only repeated. Several commands may write it.
 */
export class RunLedger {
  readonly path: string;
  readonly #folder: string;
  #runs: Runs = {};
  /** Not yet written. */
  #news: Runs = {};
  #writing: Promise<void> = Promise.resolve();
  #writtenAt = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, '.rowcast-runs.json');
  }

  /** @throws RowcastError `bad_ledger` if the file is damaged; then all runs are repeated */
  async read(): Promise<void> {
    this.#runs = await this.#read();
  }

  /** The outputs of finished runs. */
  get outputs(): string[] {
    return Object.keys(this.#runs).map(output => join(this.#folder, output));
  }

  /** The run that finished this work, unless input or output have changed since. */
  async unchanged({ input, output, options }: LedgerKey): Promise<FinishedRun | undefined> {
    const run = this.#runs[relative(this.#folder, output)];
    if (run === undefined || !isDeepStrictEqual(run.options, { ...options })) return undefined;
    if (run.input.path !== relative(this.#folder, input)) return undefined;
    const { path: _, ...known } = run.input;
    const [read, written] = await Promise.all([versionOf(input), versionOf(output)]);
    return isDeepStrictEqual(known, read) && isDeepStrictEqual(run.output, written) ? run : undefined;
  }

  /**
   * Adds a finished run; it is written now or with the next one.
   *
   * @param read the version of the input before it was read
   */
  async add(
    { input, output, options }: LedgerKey,
    run: Pick<FinishedRun, 'run_id' | 'exit_code' | 'rows'>,
    read: FileVersion,
  ): Promise<void> {
    const written = await versionOf(output);
    if (written === undefined) return;
    this.#news[relative(this.#folder, output)] = {
      ...run,
      input: { path: relative(this.#folder, input), ...read },
      output: written,
      options: { ...options },
      finished_at: new Date().toISOString(),
    };
    if (performance.now() - this.#writtenAt > WRITE_EVERY_MS) await this.flush();
  }

  /**
   * Adds the present version of an output that was repaired.
   *
   * @param before the version before
   * @param rejected the rows that are still rejected
   * @returns false if no run has written that version
   * @throws RowcastError `unwritable_output`, `locked`
   */
  async addRepaired(output: string, before: FileVersion | undefined, rejected: number): Promise<boolean> {
    const name = relative(this.#folder, output);
    const run = (await this.#read().catch((): Runs => ({})))[name];
    const written = await versionOf(output);
    if (run === undefined || written === undefined || !isDeepStrictEqual(run.output, before)) return false;
    const exit_code = rejected === 0 ? 0 : run.exit_code;
    this.#news[name] = { ...run, output: written, exit_code, rows: { ...run.rows, rejected } };
    await this.flush();
    return true;
  }

  /** Writes what was added. @throws RowcastError `unwritable_output`, `locked` */
  async flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write());
    await this.#writing;
  }

  async #write(): Promise<void> {
    if (Object.keys(this.#news).length === 0) return;
    this.#writtenAt = performance.now();
    const news = { ...this.#news };
    const lock = await this.#lock();
    try {
      // Another command may have added its own. What is damaged is replaced.
      const runs = { ...(await this.#read().catch(() => ({}))), ...news };
      const bytes = Buffer.from(`${JSON.stringify({ format: 1, runs }, null, 1)}\n`);
      // Only the holder of the lock writes it. A killed command, perhaps another user's, may have left one.
      const next = `${this.path}.new`;
      await diskFiles.remove(next);
      await replaceFile(diskFiles, this.path, bytes, { next, access: privateAccess });
      await diskFiles.syncFolder(this.#folder);
    } finally {
      await lock.release();
    }
    this.#news = Object.fromEntries(
      Object.entries(this.#news).filter(([output, run]) => news[output] !== run),
    );
  }

  async #read(): Promise<Runs> {
    const text = await readFile(this.path, 'utf8').catch(cause => {
      if (isMissing(cause)) return undefined;
      throw badLedger(this.path, cause);
    });
    if (text === undefined) return {};
    try {
      return ledgerFile.parse(JSON.parse(text)).runs;
    } catch (cause) {
      throw badLedger(this.path, cause);
    }
  }

  /** Another command holds the lock only for as long as it writes. */
  async #lock() {
    for (let tries = 1; ; tries++)
      try {
        return await takeLock(lockOf(this.path), this.path);
      } catch (error) {
        if (tries === LOCK_TRIES || !(error instanceof RowcastError && error.code === 'locked')) throw error;
        await sleep(LOCK_WAIT_MS);
      }
  }
}

/**
 * Tells the ledger that has the run of a repaired output, in the output's folder or in one above it: the next command
 * would otherwise score the input again, over the repair. The parameters are those of `RunLedger.addRepaired`.
 *
 * @throws RowcastError `unwritable_output`, `locked`
 */
export async function recordRepair(
  output: string,
  before: FileVersion | undefined,
  rejected: number,
): Promise<void> {
  const path = resolve(output);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (await new RunLedger(folder).addRepaired(path, before, rejected)) return;
    if (folder === dirname(folder)) return;
  }
}

/** What tells a changed file from an unchanged one. */
export type FileVersion = z.infer<typeof version>;

/** @returns undefined if there is no such file */
export async function versionOf(path: string): Promise<FileVersion | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && { size: found.size, modified: found.mtimeMs };
}

const badLedger = (file: string, cause: unknown): RowcastError =>
  new RowcastError('bad_ledger', 'the record of finished runs cannot be read', {
    location: { file },
    hint: 'Delete it: all files are then scored again.',
    cause,
  });
