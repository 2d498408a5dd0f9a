import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelServerProblem } from '../../../src/client/protocols/model-server-problem.ts';
import { protocolOf } from '../../../src/client/protocols/protocols.ts';
import type { ServiceProblem } from '../../../src/client/transport/call-errors.ts';

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

const { problemOf } = protocolOf('sagemaker');

const statusOf = (status: number, body: object, type?: string): Pick<ServiceProblem, 'status' | 'detail'> => {
  const problem = problemOf(
    status,
    JSON.stringify(body),
    type === undefined ? {} : { 'x-amzn-errortype': type },
  );
  return { status: problem.status ?? problem.meant, detail: problem.detail };
};

describe('an error of SageMaker', () => {
  it('has the status and the message of the container, which is wrapped in a 424', () => {
    const failed = {
      ErrorCode: 'CLIENT_ERROR_FROM_MODEL',
      LogStreamArn: '',
      Message: 'Received client error (415) from primary with message "…"',
      OriginalMessage: 'wrong columns',
      OriginalStatusCode: 400,
    };
    assert.deepEqual(statusOf(424, failed, 'ModelError'), { status: 400, detail: 'wrong columns' });
    const late = { ...failed, OriginalMessage: 'Your invocation timed out', OriginalStatusCode: 0 };
    assert.deepEqual(statusOf(424, late), { status: 504, detail: 'Your invocation timed out' });
  });

  it('is what its type says, though AWS responds with 400', () => {
    const message = { message: 'Rate exceeded' };
    assert.equal(statusOf(400, message, 'ThrottlingException').status, 429);
    assert.equal(statusOf(400, message, 'ThrottlingException:http://internal.amazon.com/coral/').status, 429);
    assert.equal(statusOf(400, { __type: 'com.amazon.coral.service#ExpiredTokenException' }).status, 401);
    assert.equal(statusOf(403, message, 'InvalidSignatureException').status, 403);
    assert.equal(
      statusOf(400, { message: 'Endpoint churn of account 1 not found.' }, 'ValidationError').status,
      404,
    );
  });

  it('of any other type has the status of the response', () => {
    assert.equal(statusOf(400, { message: 'Body is too large' }, 'ValidationError').status, undefined);
    assert.equal(statusOf(530, { Message: 'try again' }, 'InternalDependencyException').status, undefined);
    assert.equal(problemOf(502, '<html>Bad gateway</html>', {}).status, undefined);
  });
});
