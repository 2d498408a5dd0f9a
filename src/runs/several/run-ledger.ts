import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { schemeOf } from '../../base/scheme.ts';
import type { FileVersion, SharedDocument } from '../../storage/backend.ts';
import { type Backends, backends, documentAt, versionOf } from '../../storage/backends.ts';
import { fileIn, nameFrom } from '../../storage/folders.ts';
import { followLinks } from '../../storage/local/sibling-path.ts';
import { runFilesOf } from '../paths/run-files.ts';
import type { LastRun } from '../summary/last-run.ts';
import {
  badLedger,
  emptyLedger,
  type FinishedRun,
  LEDGER,
  type LedgerContent,
  type LedgerNews,
  ledgerBytes,
  type RefusedTotal,
  readLedgerBytes,
  readOrReplace,
  type UnfinishedRun,
  withNews,
} from './ledger-file.ts';

/** An input and its output by path. */
interface LedgerFiles {
  input: string;
  output: string;
}

/** An input and its outputs by path, and what is done with them. */
export interface LedgerKey extends LedgerFiles {
  /** Path given with --rejects; undefined: next to the output. */
  rejects: string | undefined;
  options: Readonly<Record<string, string>>;
}

/** Minimum time between two writes, also in relation to what the last one took: each writes the whole file. */
const WRITE_EVERY_MS = 1_000;
const TIMES_OF_WRITING = 20;

/**
 * The runs of a folder of outputs, in `.rowcast-runs.json`: what tells an output that is finished and unchanged from
 * one that is merely there, and which outputs are missing. Without it, runs are only repeated. Several commands may
 * write it.
 */
export class RunLedger {
  readonly path: string;
  readonly #folder: string;
  readonly #among: Backends;
  readonly #document: SharedDocument;
  #content = emptyLedger;
  #news: LedgerNews = { outputs: {}, last: {}, refused: {} };
  /** What was read or written last: it is not parsed again as long as nobody else has written since. */
  #last: { sha256: string; content: LedgerContent } | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** When the file may be written again, by `performance.now()`. */
  #writeFrom = 0;

  /** @param among backends, if not the default ones */
  constructor(folder: string, among = backends) {
    this.#folder = folder;
    this.#among = among;
    this.path = fileIn(folder, LEDGER);
    this.#document = documentAt(this.path, among);
  }

  /** @throws RowcastError `bad_ledger` if the file is damaged; then all runs are repeated */
  async read(): Promise<void> {
    const bytes = await this.#document.read().catch(cause => {
      throw badLedger(this.path, cause);
    });
    this.#content = readLedgerBytes(this.path, bytes);
    if (bytes !== undefined) this.#last = { sha256: sha256Of(bytes), content: this.#content };
  }

  /** The outputs of finished runs. */
  get outputs(): string[] {
    return Object.keys(this.#content.runs).map(output => fileIn(this.#folder, output));
  }

  /** The files of all runs that it knows, finished or not. */
  get files(): (LedgerFiles & Pick<LedgerKey, 'rejects'>)[] {
    const { runs, unfinished } = this.#content;
    return Object.entries<{ input: string | { path: string }; rejects?: { path: string } | null }>({
      ...unfinished,
      ...runs,
    }).map(([name, { input, rejects }]) => {
      const output = fileIn(this.#folder, name);
      const path = rejects ? fileIn(this.#folder, rejects.path) : undefined;
      return {
        input: fileIn(this.#folder, typeof input === 'string' ? input : input.path),
        output,
        rejects: path === `${output}.rejects` ? undefined : path,
      };
    });
  }

  /** The runs that commands have begun and not finished, by output; not those whose output was written since. */
  async unfinished(): Promise<Map<string, UnfinishedRun>> {
    const found = new Map<string, UnfinishedRun>();
    for (const [name, run] of Object.entries(this.#content.unfinished)) {
      const output = fileIn(this.#folder, name);
      // A command for this file alone keeps no ledger.
      const written = await this.versionOf(output);
      if (written === undefined || written.modified < run.since)
        found.set(output, { ...run, input: fileIn(this.#folder, run.input) });
    }
    return found;
  }

  /** The run that finished this work, unless input, output or rejects have changed since. */
  async unchanged(key: LedgerKey): Promise<FinishedRun | undefined> {
    const found = await this.#inPlace(key);
    return found?.isSameInput ? found.run : undefined;
  }

  /**
   * The run that finished this work, if of its files only the input may have changed, not in size; and the version of
   * that.
   */
  async ofSameSize(key: LedgerKey): Promise<{ run: FinishedRun; read: FileVersion } | undefined> {
    const found = await this.#inPlace(key);
    return found !== undefined && found.read.size === found.run.input.size ? found : undefined;
  }

  /** The run that finished this work, unless output or rejects have changed since; and the version of the input. */
  async #inPlace({ input, output, rejects, options }: LedgerKey) {
    const run = this.finished(output);
    if (run === undefined || !isDeepStrictEqual(run.options, { ...options })) return undefined;
    const { path, ...known } = run.input;
    if (path !== this.#name(input)) return undefined;
    const [read, written] = await Promise.all([this.versionOf(input), this.versionOf(output)]);
    const isInPlace =
      isDeepStrictEqual(run.output, written) &&
      isDeepStrictEqual(run.rejects, await this.#rejectsOf({ output, rejects }, run));
    if (read === undefined || !isInPlace) return undefined;
    return { run, read, isSameInput: isDeepStrictEqual(known, read) };
  }

  /** Adds that an input has the bytes that its run has read, although it was delivered again. */
  deliveredAgain({ output }: LedgerFiles, run: FinishedRun, read: FileVersion): void {
    this.#add(this.#name(output), { finished: { ...run, input: { path: run.input.path, ...read } } });
  }

  /** What is known of the last run that finished an output, whatever has become of its files. */
  finished(output: string): FinishedRun | undefined {
    return this.#content.runs[this.#name(output)];
  }

  /** Whether an input is the file that its run has read. */
  async isUntouched({ input, output }: LedgerFiles): Promise<boolean> {
    const { path, ...read } = this.finished(output)?.input ?? {};
    return path === this.#name(input) && isDeepStrictEqual(read, await this.versionOf(input));
  }

  /** The rejects of an output as its run left it, if they are gone; the next command then scores its input again. */
  async lostRejects(output: string): Promise<string | undefined> {
    const run = this.#content.runs[this.#name(output)];
    if (!run?.rejects || !isDeepStrictEqual(run.output, await this.versionOf(output))) return undefined;
    const path = fileIn(this.#folder, run.rejects.path);
    return (await this.versionOf(path)) === undefined ? path : undefined;
  }

  /**
   * Adds the outputs that a command is to write, unless a run has finished them before, and forgets those whose inputs
   * are gone.
   *
   * @throws RowcastError `unwritable_output`, `locked`
   */
  async begin(files: readonly LedgerFiles[]): Promise<void> {
    const { runs, unfinished } = this.#content;
    for (const [output, { input }] of Object.entries(unfinished))
      if ((await this.versionOf(fileIn(this.#folder, input))) === undefined) this.#add(output, {});
    for (const file of files)
      if (runs[this.#name(file.output)] === undefined) this.#addUnfinished(file, null);
    await this.flush();
  }

  /** Adds why an input was not scored; it is written with the next run, or at the end. */
  fail(file: LedgerFiles, { code, message }: { code: string; message: string }): void {
    this.#addUnfinished(file, { code, message });
  }

  /** The output is as it should be, although no run has written it now. */
  skip({ output }: LedgerFiles): void {
    const name = this.#name(output);
    if (this.#news.outputs[name]?.finished !== undefined) return;
    if (this.#content.unfinished[name] !== undefined || this.#content.runs[name] === undefined)
      this.#add(name, {});
  }

  /**
   * Adds a finished run; it is written now or with the next one.
   *
   * @param read the version of the input before it was read
   */
  async add(
    { input, output, rejects, options }: LedgerKey,
    run: Pick<FinishedRun, 'run_id' | 'exit_code' | 'rows' | 'digest' | 'started_at'>,
    read: FileVersion,
  ): Promise<void> {
    const written = await this.versionOf(output);
    const rejected = await this.#rejectsOf({ output, rejects }, run);
    // Another program has removed them already.
    if (written === undefined || rejected === undefined) return;
    const finished: FinishedRun = {
      ...run,
      input: { path: this.#name(input), ...read },
      output: written,
      rejects: rejected,
      options,
      finished_at: new Date().toISOString(),
    };
    this.#add(this.#name(output), { finished });
    if (performance.now() >= this.#writeFrom) await this.flush();
  }

  /**
   * Adds the present version of an output that was repaired, and of its rejects.
   *
   * @param before the version before
   * @param rejected the rows that are still rejected
   * @returns false if no run has written that version
   * @throws RowcastError `unwritable_output`, `locked`
   */
  async addRepaired(output: string, before: FileVersion | undefined, rejected: number): Promise<boolean> {
    const name = this.#name(output);
    const run = (await this.#readAgain()).runs[name];
    const written = await this.versionOf(output);
    if (run === undefined || written === undefined || !isDeepStrictEqual(run.output, before)) return false;
    const exit_code = rejected === 0 ? 0 : run.exit_code;
    const path = run.rejects?.path;
    const left = path === undefined ? undefined : await this.versionOf(fileIn(this.#folder, path));
    const rejects = path === undefined || left === undefined ? null : { path, ...left };
    const rows = { ...run.rows, rejected };
    this.#add(name, { finished: { ...run, output: written, rejects, exit_code, rows } });
    await this.flush();
    return true;
  }

  /** By pattern of outputs, why they are together no good run. */
  get refused(): ReadonlyMap<string, RefusedTotal> {
    const all = Object.entries(this.#content.refused);
    return new Map(all.map(([pattern, total]) => [fileIn(this.#folder, pattern), total]));
  }

  /**
   * Adds what has become of all outputs of a command together; it is written with the next run, or at the end.
   *
   * @param pattern of the outputs
   * @param total undefined if nothing is wrong with them
   */
  judge(pattern: string, total: RefusedTotal | undefined): void {
    const name = this.#name(pattern);
    if (total === undefined && this.#content.refused[name] === undefined) return;
    this.#news.refused[name] = total && { code: total.code, message: total.message };
  }

  /**
   * Writes the last good run of a command, and what else was added.
   *
   * @param output as the command has written it, from the folder of the ledger
   * @throws RowcastError `unwritable_output`, `locked`
   */
  async addLast(output: string, run: LastRun): Promise<void> {
    this.#news.last[output] = run;
    await this.flush();
  }

  /** Writes what was added. @throws RowcastError `unwritable_output`, `locked` */
  async flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write());
    await this.#writing;
  }

  #name(path: string): string {
    return nameFrom(this.#folder, path);
  }

  #add(name: string, news: LedgerNews['outputs'][string]): void {
    this.#news.outputs[name] = news;
  }

  #addUnfinished({ input, output }: LedgerFiles, error: UnfinishedRun['error']): void {
    this.#add(this.#name(output), { unfinished: { input: this.#name(input), error, since: Date.now() } });
  }

  /** The rejects of a run: null if it has written none, undefined if they are gone. */
  async #rejectsOf(
    { output, rejects }: Pick<LedgerKey, 'output' | 'rejects'>,
    { rows }: Pick<FinishedRun, 'rows'>,
  ): Promise<FinishedRun['rejects'] | undefined> {
    if (rejects === undefined && rows.rejected === 0) return null;
    const path = rejects ?? (await defaultRejects(output));
    const found = await this.versionOf(path);
    return found && { path: this.#name(path), ...found };
  }

  async #write(): Promise<void> {
    if (Object.values(this.#news).every(news => Object.keys(news).length === 0)) return;
    const begun = performance.now();
    // Other files may end meanwhile.
    this.#writeFrom = Number.POSITIVE_INFINITY;
    const { outputs, last, refused } = this.#news;
    const news = { outputs: { ...outputs }, last: { ...last }, refused: { ...refused } };
    try {
      await this.#document.update(bytes => {
        const content = withNews(this.#contentOf(bytes), news);
        const text = ledgerBytes(content, bytes?.length);
        this.#last = { sha256: sha256Of(text), content };
        return text;
      });
    } finally {
      const now = performance.now();
      this.#writeFrom = now + Math.max(WRITE_EVERY_MS, TIMES_OF_WRITING * (now - begun));
    }
    this.#news = {
      outputs: without(this.#news.outputs, news.outputs),
      last: without(this.#news.last, news.last),
      refused: without(this.#news.refused, news.refused),
    };
  }

  /** Another command may have added its own. */
  async #readAgain(): Promise<LedgerContent> {
    return this.#contentOf(await this.#document.read().catch(() => undefined));
  }

  #contentOf(bytes: Buffer | undefined): LedgerContent {
    if (bytes !== undefined && this.#last?.sha256 === sha256Of(bytes)) return this.#last.content;
    return readOrReplace(this.path, bytes);
  }

  /** @returns undefined if there is no such file */
  versionOf(path: string, stop?: AbortSignal): Promise<FileVersion | undefined> {
    return versionOf(path, this.#among, stop);
  }
}

/** The entries that have changed since, or are new. */
const without = <T>(
  all: Readonly<Record<string, T>>,
  written: Readonly<Record<string, T>>,
): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([name, entry]) => written[name] !== entry));

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Where a run puts its rejects unless --rejects names a file. */
const defaultRejects = async (output: string): Promise<string> =>
  schemeOf(output) === undefined ? runFilesOf(await followLinks(output)).rejects : `${output}.rejects`;
