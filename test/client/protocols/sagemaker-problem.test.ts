import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { protocolOf } from '../../../src/client/protocols/protocols.ts';
import type { Problem } from '../../../src/client/transport/call-errors.ts';

const { problemOf } = protocolOf('sagemaker');

const statusOf = (status: number, body: object, type?: string): Pick<Problem, 'status' | 'detail'> => {
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
