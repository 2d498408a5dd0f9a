import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../support/listen.ts';
import { binOf, sourceOf } from './places.ts';

/** Where a server finds what it needs. */
export interface Place {
  /** Its folder in test/servers. */
  source: string;
  /** A folder with the model, model.pkl, for what it writes. */
  folder: string;
  /** The root of its Python environment. */
  environment: string;
  port: number;
}

export interface Command {
  /** The program, in the environment's folder of commands or elsewhere. */
  program: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** A model server, and how rowcast scores with it. */
export interface ModelServer {
  /** Its folder in test/servers and the one of its environment. */
  name: string;
  /** What has to be done once with the model. */
  prepare?(place: Place): readonly Command[];
  start(place: Place): Command;
  /** Responds with 200 once the model is loaded. */
  readyPath: string;
  /** The key `service` of a definition, without the URL. */
  service: Readonly<Record<string, unknown>>;
  /** Keys of `score` of a definition. */
  score: Readonly<Record<string, unknown>>;
  /** Those with which a wrong tenure is sent, where it would otherwise be found before. */
  untyped?: Readonly<Record<string, unknown>>;
}

const execute = promisify(execFile);

/** A process that serves the model on a port of its own. It can be killed and started again. */
export class RunningServer {
  readonly #server: ModelServer;
  readonly place: Place;
  #child: ChildProcess | undefined;

  constructor(server: ModelServer, folder: string, environment: string, port: number) {
    this.#server = server;
    this.place = { source: sourceOf(server.name), folder, environment, port };
  }

  static async on(server: ModelServer, folder: string, environment: string): Promise<RunningServer> {
    return new RunningServer(server, folder, environment, await freePort());
  }

  get url(): string {
    return `http://127.0.0.1:${this.place.port}`;
  }

  async prepare(): Promise<void> {
    for (const { program, args, env } of this.#server.prepare?.(this.place) ?? [])
      await execute(program, args, { cwd: this.place.folder, env: this.#env(env), timeout: 120_000 });
  }

  /** Starts it, and waits until it is ready. */
  async start(): Promise<void> {
    const { program, args, env } = this.#server.start(this.place);
    // Not a pipe, which a process that outlives the server would keep open.
    const log = await open(join(this.place.folder, 'server.log'), 'a');
    const child = spawn(program, args, {
      cwd: this.place.folder,
      env: this.#env(env),
      stdio: ['ignore', log.fd, log.fd],
    });
    await log.close();
    child.on('error', () => {}); // it has no exit code then
    this.#child = child;
    const until = Date.now() + 60_000;
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || child.pid === undefined || Date.now() > until)
        throw new Error(`${this.#server.name} does not start: ${(await this.#log()).slice(-2000)}`);
      await wait(200);
    }
  }

  /** Kills it and all that it has started, which has the same folder in its environment. */
  async kill(): Promise<void> {
    const child = this.#child;
    const exit =
      child?.pid && child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    for (const pid of await processesWith(`MODEL_FOLDER=${this.place.folder}\0`))
      process.kill(pid, 'SIGKILL');
    await exit;
  }

  #log(): Promise<string> {
    return readFile(join(this.place.folder, 'server.log'), 'utf8');
  }

  #env(own: Readonly<Record<string, string>> = {}): Record<string, string> {
    const path = [binOf(this.#server.name), process.env.PATH].join(delimiter);
    const { folder } = this.place;
    // Python would write compiled modules next to the programs, which are part of the repository.
    return { PATH: path, HOME: folder, MODEL_FOLDER: folder, PYTHONDONTWRITEBYTECODE: '1', ...own };
  }

  async #isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}${this.#server.readyPath}`, {
        signal: AbortSignal.timeout(5000),
      });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }
}

/** The ids of the processes with a text in their environment. */
async function processesWith(variable: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const environments = await Promise.all(
    pids.map(pid => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')), // it has ended
  );
  return pids.filter((_, i) => environments[i]?.includes(variable)).map(Number);
}
