import type { TestContext } from 'node:test';
import type { ClientOptions } from '../../../src/client/client-options.ts';
import { ReportClient } from '../../../src/client/protocols/report/report-client.ts';
import { ServiceClient } from '../../../src/client/service-client.ts';
import { type Stub, type StubOptions, startStub } from './service.ts';

/** A stub and a client for it, both closed when the test ends. */
export async function connect(
  t: TestContext,
  { path = '', ...options }: StubOptions & Omit<Partial<ClientOptions>, 'url'> & { path?: string } = {},
): Promise<{ stub: Stub; client: ServiceClient; reports: ReportClient }> {
  const stub = await startStub(options);
  const url = new URL(stub.url + path);
  const client = new ServiceClient({ url, key: stub.key, name: 'stub', concurrency: 1, ...options });
  t.after(async () => {
    await client.close();
    await stub.close();
  });
  return { stub, client, reports: new ReportClient(client) };
}
