// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references of definitions

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDefinition } from './read-definition.ts';

const text = (...lines: string[]): string =>
  ['score:', '  input: in.csv', '  report: r', ...lines.map(line => `  ${line}`)].join('\n');

const read = (env: Record<string, string>, ...lines: string[]) =>
  readDefinition(text(...lines), 'job.yaml', { env }).score;

const refused = (env: Record<string, string>, message: RegExp, ...lines: string[]) =>
  assert.throws(() => read(env, ...lines), {
    code: 'bad_definition',
    message,
    location: { file: 'job.yaml', line: 4 },
  });

describe('variables in a definition', () => {
  it('are put into text, paths and lists, as often as they are named', () => {
    const env = { ROWCAST_DAY: '2026-01-31', ROWCAST_COLUMN: 'tenure' };
    const { output, features } = read(
      env,
      'output: out/${ROWCAST_DAY}/${ROWCAST_DAY}.csv',
      'features: [a, "${ROWCAST_COLUMN}"]',
    );
    assert.deepEqual([output, features], ['out/2026-01-31/2026-01-31.csv', ['a', 'tenure']]);
  });

  it('have a default for where they are not set, or empty', () => {
    for (const env of [{}, { ROWCAST_DAY: '' }]) {
      assert.equal(read(env, 'output: ${ROWCAST_DAY:-today}.csv').output, 'today.csv');
      assert.equal(read(env, 'prefix: a${ROWCAST_DAY:-}').prefix, 'a');
    }
    refused(
      {},
      /^score\.output: the variable ROWCAST_DAY is not set; .*\$\{ROWCAST_DAY:-…\}$/,
      'output: ${ROWCAST_DAY}',
    );
  });

  it('may be numbers and booleans', () => {
    const env = { ROWCAST_N: '50', ROWCAST_P: 'true' };
    const { limit, prediction } = read(env, 'limit: ${ROWCAST_N}', 'prediction: ${ROWCAST_P}');
    assert.deepEqual([limit, prediction], [50, true]);
    assert.equal(read(env, 'prefix: ${ROWCAST_N}').prefix, '50');
    refused({ ROWCAST_N: 'x' }, /^score\.limit: expected a whole number/, 'limit: ${ROWCAST_N}');
  });

  it('cannot change the structure of the definition', () => {
    const env = { ROWCAST_X: 'a\n  limit: 1\n#"' };
    assert.equal(read(env, 'prefix: ${ROWCAST_X}').prefix, env.ROWCAST_X);
  });

  it('must begin with ROWCAST_, and must not hold a key', () => {
    const env = {
      HOME: '/root',
      ROWCAST_API_KEY: 'k',
      ROWCAST_CRM: 'k',
      ROWCAST_CRM_TOKEN: 'k',
      ROWCAST_QUEUE: 'q',
    };
    refused(env, /only variables whose names begin with ROWCAST_ .*\$\{HOME\}/, 'prefix: ${HOME}');
    for (const reference of ['', 'rowcast_x', 'ROWCAST_X:default', '1', 'ROWCAST_X-y'])
      refused(env, /only variables/, `prefix: "\${${reference}}"`);
    for (const name of ['ROWCAST_API_KEY', 'ROWCAST_CRM_TOKEN', 'ROWCAST_QUEUE'])
      refused(env, /may hold a key/, `prefix: \${${name}:-x}`);
    refused(env, /ROWCAST_CRM may hold a key/, 'prefix: ${ROWCAST_CRM}', 'api-key-env: ROWCAST_CRM');
  });
});
