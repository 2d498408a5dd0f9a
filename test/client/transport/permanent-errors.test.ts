import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { connectReports, ReportClient } from '../../../src/client/protocols/report/report-client.ts';
import { permanentError } from '../../../src/client/transport/permanent-errors.ts';
import { authority, noOpenssl, pems } from '../../support/certificates.ts';
import { startRaw, whole } from '../../support/stub/raw.ts';
import { startStub } from '../../support/stub/service.ts';

/** Starts an https server with an untrusted certificate; returns its host and port. */
async function startTls(t: TestContext): Promise<string> {
  const { server } = await authority();
  return (await startStub(t, { tls: pems(server) })).url.replace('https://', '');
}

/** Asserts that every kind of request fails at the first attempt, despite a large --max-outage. */
async function assertStops(t: TestContext, url: string, code: string): Promise<void> {
  const client = connectReports({
    url: new URL(url),
    key: 'a-key',
    name: 'wrong',
    maxOutage: 3600,
    onRetry: failure => assert.fail(`${failure.code} is retried`),
  });
  t.after(() => client.close());
  const reports = new ReportClient(client);
  const body = Buffer.from('{"id":"r","personas":[{"features":{}}]}');
  async function* csv(): AsyncGenerator<Buffer> {
    yield Buffer.from('a\n1\n');
  }
  for (const call of [
    () => reports.report('r'),
    () => reports.persona('r', {}),
    () => reports.batchPersona('r', body, 1),
    () => reports.testingResults('r').next(),
    () => reports.batchPredict('r', { bytes: csv(), format: 'csv' }, undefined),
  ])
    await assert.rejects(call(), { code, kind: 'fatal', severity: 'refused' });
}

describe('a request stops at once, because retrying cannot help,', { concurrency: true }, () => {
  it('if the certificate is for another host, with a hint about the name, not about trust', () => {
    const cause = Object.assign(new Error(), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    const found = permanentError(cause, false);
    assert.equal(found?.code, 'bad_certificate');
    assert.match(`${found.message}. ${found.hint}`, /another host name.*in the URL/);
  });

  it('if the certificate is not trusted', { skip: noOpenssl }, async t => {
    await assertStops(t, `https://${await startTls(t)}`, 'bad_certificate');
  });

  it('if it is http to an https port', { skip: noOpenssl }, async t => {
    await assertStops(t, `http://${await startTls(t)}`, 'tls_expected');
  });

  it('if it is http to an https port that responds with a TLS alert, or with 400 like nginx', async t => {
    const alert = await startRaw(t, () => [Buffer.from([0x15, 0x03, 0x01, 0, 2, 2, 0x46])]);
    await assertStops(t, alert, 'tls_expected');
    const page = '<h1>400</h1>The plain HTTP request was sent to HTTPS port';
    await assertStops(t, await startRaw(t, () => whole(page, { status: 400 })), 'tls_expected');
  });

  it('if it is https to an http port', async t => {
    const stub = await startStub(t);
    await assertStops(t, stub.url.replace('http:', 'https:'), 'tls_refused');
  });

  it('if the host name is unknown from the start', async t => {
    await assertStops(t, 'http://no-such-host.invalid:1', 'no_such_host');
  });
});
