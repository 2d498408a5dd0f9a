import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it, mock } from 'node:test';
import type { SentRequest } from '../../../../src/client/credentials.ts';
import { AwsKey } from '../../../../src/library/service/cloud/aws-key.ts';

const example = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const service = { service: 'service', region: 'us-east-1', host: 'example.amazonaws.com' };

function sign(key: AwsKey, request: Partial<SentRequest>) {
  return key.headersFor({ method: 'GET', path: '/', type: undefined, body: undefined, ...request });
}

const authorization = (names: string, signature: string): string =>
  `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`;

/** From the signing test suite that AWS publishes (github.com/awslabs/aws-c-auth, tests/aws-signing-test-suite/v4). */
const vectors: readonly [name: string, request: Partial<SentRequest>, signature: string, names?: string][] = [
  ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    { path: '/?Param2=value2&Param1=value1' },
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-vanilla-utf8-query',
    { path: '/?ሴ=bar' },
    '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  ],
  ['post-vanilla', { method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'post-x-www-form-urlencoded',
    { method: 'POST', type: 'application/x-www-form-urlencoded', body: Buffer.from('Param1=value1') },
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    'content-type;host;x-amz-date',
  ],
];

describe('a signature of AWS', () => {
  before(() => mock.timers.enable({ apis: ['Date'], now: Date.UTC(2015, 7, 30, 12, 36) }));
  after(() => mock.timers.reset());

  for (const [name, request, signature, names = 'host;x-amz-date'] of vectors)
    it(`is that of ${name} in the published tests`, async () => {
      const key = new AwsKey(service, async () => example);
      assert.deepEqual(await sign(key, request), {
        authorization: authorization(names, signature),
        'x-amz-date': '20150830T123600Z',
      });
    });

  it('has the token of temporary credentials, as in get-vanilla-with-session-token', async () => {
    const sessionToken = '6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267';
    const key = new AwsKey(service, async () => ({ ...example, sessionToken }));
    assert.deepEqual(await sign(key, {}), {
      authorization: authorization(
        'host;x-amz-date;x-amz-security-token',
        '07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8',
      ),
      'x-amz-date': '20150830T123600Z',
      'x-amz-security-token': sessionToken,
    });
    assert.equal(key.current(), sessionToken);
  });

  it('is another one for another body, as text or as bytes', async () => {
    const key = new AwsKey(service, async () => example);
    const bodies: SentRequest['body'][] = ['a,1\n', Buffer.from('a,1\n'), 'a,2\n'];
    const signed = [];
    for (const body of bodies)
      signed.push((await sign(key, { method: 'POST', type: 'text/csv', body })).authorization);
    assert.equal(signed[0], signed[1]);
    assert.notEqual(signed[1], signed[2]);
  });
});

describe('the credentials of AWS', () => {
  it('are got anew when they are refused', async () => {
    const given: boolean[] = [];
    const key = new AwsKey(service, async how => {
      const isNew = how?.forceRefresh === true;
      given.push(isNew);
      return { ...example, sessionToken: given.some(Boolean) ? 'second' : 'first' };
    });
    await sign(key, {});
    assert.deepEqual(
      [key.current(), await key.isReplaced('first'), key.current()],
      ['first', true, 'second'],
    );
    assert.equal(await key.isReplaced('second'), false);
    assert.deepEqual(given, [false, true, true]);
  });

  it('do not sign an upload, whose body is not known', async () => {
    const key = new AwsKey(service, async () => example);
    const body = Readable.from(['a']);
    await assert.rejects(sign(key, { method: 'POST', type: 'text/csv', body }), { code: 'usage' });
  });

  it('that are not found are reported with the first line of the reason', async () => {
    const key = new AwsKey(service, async () => {
      throw new Error('there is no profile\nsee …');
    });
    const refusal = { name: 'NoCredentials', message: 'there is no profile' };
    await assert.rejects(sign(key, {}), refusal);
  });
});
