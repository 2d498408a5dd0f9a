import type { TestContext } from 'node:test';
import { serve } from '../../cli/commands/serving.ts';
import { rejectSome } from '../../crash/unscorable.ts';
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

/** @param t ends a service that is a process of its own */
export async function startPredictor(t: TestContext, kind: PredictorKind): Promise<Predictor> {
  const home = { ROWCAST_HOME: await trainedHome() };
  if (kind === 'local report') return { report: 'one', env: home, close: async () => {} };
  if (kind === 'rowcast serve') {
    const env = { ROWCAST_API_KEY: key, ...home };
    let service = await serve(t, env);
    const proxy = await startProxy(portOf(service.url));
    return {
      report: 'one',
      proxy,
      env: environment(proxy),
      async restart() {
        service.child.kill('SIGKILL');
        service = await serve(t, env);
        proxy.leadTo(portOf(service.url));
      },
      async close() {
        service.child.kill('SIGKILL');
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
