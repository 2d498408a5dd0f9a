import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelServerProblem } from '../../../src/client/protocols/model-server-problem.ts';

const read = ({ error, code }: Readonly<Record<string, unknown>>) => ({ message: error, code });
const problem = (body: unknown, headers = {}) =>
  modelServerProblem(typeof body === 'string' ? body : JSON.stringify(body), headers, read);

describe('the error of a model server', () => {
  it('is its message and code', () => {
    const { detail, code } = problem({ error: 'no such model', code: 'not_found' });
    assert.deepEqual([detail, code], ['no such model', 'not_found']);
    assert.equal(problem('Internal Server Error').detail, 'Internal Server Error');
  });

  it('is the last line of a traceback', () => {
    const { detail } = problem(
      'Traceback (most recent call last):\n  File "/srv/x.py", line 1\nValueError: no\n',
    );
    assert.equal(detail, 'ValueError: no');
  });

  it('names the largest number of rows that Triton takes', () => {
    const error = "[request id: 7] inference request batch-size must be <= 4096 for 'churn'";
    assert.equal(problem({ error }).maxRows, 4096);
    assert.equal(problem({ error: 'batch-size must be even' }).maxRows, undefined);
  });

  it('names the rows and columns that FastAPI lists, without their values', () => {
    const detail = [
      { type: 'float_parsing', loc: ['body', 'rows', 1, 'tenure'], msg: 'not a number', input: 'secret' },
      { type: 'missing', loc: ['body', 'rows', 1, 'plan'], msg: 'Field required', input: { x: 'secret' } },
      { type: 'missing', loc: ['body', 'rows', 7, 'plan'], msg: 'Field required', input: {} },
    ];
    assert.deepEqual(problem({ detail }), {
      code: undefined,
      status: undefined,
      detail: 'tenure: not a number',
      rows: [
        { row: 1, message: 'tenure: not a number' },
        { row: 7, message: 'plan: Field required' },
      ],
    });
    const other = problem({ detail: [{ loc: ['body', 'rows'], msg: 'Field required', input: 'secret' }] });
    assert.deepEqual([other.detail, other.rows], ['rows: Field required', []]);
  });

  it('shows nothing of JSON that has no message, or was cut off: it may repeat the rows', () => {
    for (const body of ['{"rows":[{"name":"secret"}]}', '{"detail":[{"input":"secr', '[{"name":"secret"}]'])
      assert.equal(problem(body).detail, '', body);
  });

  it('has the status of the model where a cloud responds with 424', () => {
    assert.equal(problem({ error: 'x', OriginalStatusCode: 400 }).status, 400);
    assert.equal(problem('x', { 'ms-azureml-model-error-statuscode': '503' }).status, 503);
    for (const wrong of ['', 'x', '200', '1e9'])
      assert.equal(problem('x', { 'ms-azureml-model-error-statuscode': wrong }).status, undefined);
  });
});
