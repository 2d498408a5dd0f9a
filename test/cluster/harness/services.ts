import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rejectSome } from '../../crash/unscorable.ts';
import { bin } from '../../support/rowcast.ts';
import { key } from '../../support/secrets.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { startStub } from '../../support/stub/service.ts';
import { type CuttableProxy, startProxy } from './proxy.ts';

/** What predicts in a run. */
export interface Predictor {
  report: string;
  env: Record<string, string>;
  /** The way to it; undefined for a local report. */
  proxy?: CuttableProxy;
  /** Kills the service and starts it again, if it is a process of its own. */
  restart?(): Promise<void>;
  close(): Promise<void>;
}

export type PredictorKind = 'local report' | 'rowcast serve' | 'stub that rejects rows';

export async function startPredictor(kind: PredictorKind): Promise<Predictor> {
  const home = { ROWCAST_HOME: await trainedHome() };
  if (kind === 'local report') return { report: 'one', env: home, close: async () => {} };
  if (kind === 'rowcast serve') {
    let service = await startServe(home);
    const proxy = await startProxy(portOf(service.url));
    return {
      report: 'one',
      proxy,
      env: environment(proxy),
      async restart() {
        service.kill();
        service = await startServe(home);
        proxy.leadTo(portOf(service.url));
      },
      async close() {
        service.kill();
        await proxy.close();
      },
    };
  }
  const columns = ['id', 'monthly amount', 'plan'].map(name => ({ name }));
  const stub = await startStub(undefined, {
    report: { columns, classes: ['no', 'yes'] },
    behave(call) {
      rejectSome(call);
      return true;
    },
  });
  const proxy = await startProxy(portOf(stub.url));
  return {
    report: 'r',
    proxy,
    env: environment(proxy),
    async close() {
      await stub.close();
      await proxy.close();
    },
  };
}

const portOf = (url: string): { port: number } => ({ port: Number(new URL(url).port) });

const environment = ({ port }: CuttableProxy): Record<string, string> => ({
  ROWCAST_URL: `http://127.0.0.1:${port}`,
  ROWCAST_API_KEY: key,
});

async function startServe(env: Record<string, string>): Promise<{ url: string; kill(): void }> {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0'], {
    env: { PATH: process.env.PATH, ROWCAST_API_KEY: key, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8');
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', chunk => {
      said += chunk;
      const [found] = /https?:\/\/[\w.:]+/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    void once(child, 'exit').then(() => reject(new Error(said)));
  });
  return { url, kill: () => void child.kill('SIGKILL') };
}
