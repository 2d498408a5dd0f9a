import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RowcastError } from '../../../src/base/errors.ts';
import { noSuchReport, problemFrom, problemOf, RequestError } from '../../../src/server/problems/problems.ts';

/** An error as Fastify raises it. */
const fastifyError = (statusCode: number): Error => Object.assign(new Error('too much'), { statusCode });

function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

describe('the problem document', () => {
  it('has the status of its code, with the title of the status', () => {
    assert.deepEqual(problemOf('too_many_personas', 'Send fewer.'), {
      type: 'about:blank',
      title: 'Payload Too Large',
      status: 413,
      detail: 'Send fewer.',
      code: 'too_many_personas',
    });
  });

  it('of a request error is the one that the error names', () => {
    const { status, code, detail } = problemFrom(new RequestError('rate_limited', 'Wait a second.'));
    assert.deepEqual([status, code, detail], [429, 'rate_limited', 'Wait a second.']);
    assert.equal(problemFrom(noSuchReport('x')).status, 404);
  });

  it('of malformed rows says the line', () => {
    const error = new RowcastError('unclosed_quote', 'the quote is not closed', { location: { line: 7 } });
    const { status, detail } = problemFrom(error);
    assert.deepEqual([status, detail], [400, 'line 7: the quote is not closed']);
  });

  it('of a damaged report says what to do, and is not one that clients retry', () => {
    const error = new RowcastError('damaged_report', 'the report "r" is damaged', {
      location: { file: '/home/me/reports/r' },
    });
    const { status, detail } = problemFrom(error);
    assert.deepEqual([status, detail], [410, 'the report "r" is damaged; train or import it again']);
  });

  it('of an unexpected error says nothing about it', () => {
    for (const error of [
      new TypeError('/home/me/secret'),
      new RowcastError('unwritable_output', '/home/me/secret'),
      'text',
      undefined,
    ]) {
      const { status, code, detail } = problemFrom(error);
      assert.deepEqual([status, code], [500, 'internal']);
      assert.doesNotMatch(detail, /secret|text/);
    }
  });

  it('of a body that is not gzip is a malformed request', () => {
    const error = thrownBy(() => gunzipSync(Buffer.from('not gzip')));
    const { status, code, detail } = problemFrom(error);
    assert.deepEqual([status, code], [400, 'malformed']);
    assert.match(detail, /not valid gzip/);
  });

  it("has this program's code for the errors of the framework", () => {
    const codes = [413, 415, 400, 414, 418].map(status => problemFrom(fastifyError(status)).code);
    assert.deepEqual(codes, ['too_large', 'unsupported_media_type', 'malformed', 'malformed', 'internal']);
  });
});
