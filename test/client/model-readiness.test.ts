import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ModelReadiness } from '../../src/client/requests.ts';
import { CallError } from '../../src/scoring/failures/call-error.ts';

const failure = (status: number, kind: CallError['kind'] = 'fatal'): CallError =>
  new CallError(kind, `http_${status}`, `the service responded with ${status}`, { location: {}, status });

/** A service that answers the question for readiness with a body, or with an error. */
function readiness(answer: string | CallError, namesModel = true): ModelReadiness {
  const request = { method: 'GET', path: '/ready' } as const;
  return new ModelReadiness(
    { ready: () => ({ request, namesModel }) },
    {
      async send(_, read) {
        if (typeof answer !== 'string') throw answer;
        return read(Buffer.from(answer), undefined);
      },
    },
  );
}

describe('whether a model is ready', () => {
  it('is what the service says', async () => {
    for (const body of ['\n', 'OK', '{"name":"m","ready":true}', '{"message":"ready"}'])
      assert.equal(await readiness(body).isReady('m'), true, body);
    for (const body of ['{"name":"m","ready":false}', '{"ready": "False"}'])
      assert.equal(await readiness(body).isReady('m'), false, body);
    for (const status of [400, 404, 503])
      assert.equal(await readiness(failure(status, 'rejected_request')).isReady('m'), false, `${status}`);
  });

  it('is true if the service does not answer the question', async () => {
    assert.equal(await readiness(failure(404), false).isReady('m'), true);
    for (const status of [401, 403, 405]) assert.equal(await readiness(failure(status)).isReady('m'), true);
    assert.equal(
      await new ModelReadiness({}, { send: () => Promise.reject(failure(404)) }).isReady('m'),
      true,
    );
  });
});

describe('a request for a model', () => {
  const send = (error: CallError) => () => Promise.reject(error);

  it('fails temporarily with 400 or 404 while the model is not ready', async () => {
    for (const status of [400, 404])
      await assert.rejects(readiness(failure(404)).whenReady(send(failure(status)), 'm'), {
        code: 'model_not_ready',
        kind: 'unavailable',
        message: `the service responded with ${status}; the model is not ready`,
      });
  });

  it('fails as it does if the model is ready, with another status, or without a question', async () => {
    const late = failure(422, 'model_rejected');
    await assert.rejects(readiness(failure(404)).whenReady(send(late), 'm'), late);
    const refused = failure(400, 'model_rejected');
    await assert.rejects(readiness('OK').whenReady(send(refused), 'm'), refused);
    await assert.rejects(readiness(failure(404)).whenReady(send(refused), undefined), refused);
    await assert.rejects(
      new ModelReadiness({}, { send: send(refused) }).whenReady(send(refused), 'm'),
      refused,
    );
  });

  it('is sent again after a 404 if the model is ready by now', async () => {
    let sent = 0;
    const answer = await readiness('OK').whenReady(async () => {
      if (++sent === 1) throw failure(404);
      return 'predictions';
    }, 'm');
    assert.deepEqual([answer, sent], ['predictions', 2]);
  });
});
