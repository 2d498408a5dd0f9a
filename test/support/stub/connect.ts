import type { TestContext } from 'node:test';
import { ReportClient } from '../../../src/client/protocols/report/report-client.ts';
import { type ReportProtocol, reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import { ServiceClient, type ServiceClientOptions } from '../../../src/client/service-client.ts';
import { type Stub, type StubOptions, startStub } from './service.ts';

/** Options of the stub, and of the client. */
export type ConnectOptions = StubOptions &
  Omit<Partial<ServiceClientOptions<ReportProtocol>>, 'url'> & { path?: string };

/** A stub and a client for it, both closed when the test ends. */
export async function connect(
  t: TestContext,
  { path = '', ...options }: ConnectOptions = {},
): Promise<{ stub: Stub; client: ServiceClient<ReportProtocol>; reports: ReportClient }> {
  const stub = await startStub(t, options);
  const url = new URL(stub.url + path);
  const client = new ServiceClient({
    url,
    key: stub.key,
    name: 'stub',
    concurrency: 1,
    protocol: reportProtocol(),
    ...options,
  });
  t.after(() => client.close());
  return { stub, client, reports: new ReportClient(client) };
}
