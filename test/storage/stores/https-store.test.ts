import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backendsFor, openSource, resolveTarget } from '../../../src/storage/backends.ts';
import { type Fault, fileServer } from '../../support/file-server.ts';

const redirectTo =
  (location: string): Fault =>
  (_, response) => {
    response.writeHead(302, { location }).end();
    return true;
  };

describe('a file of a web server', () => {
  it('is found by redirects, but not by endless ones', async t => {
    const server = await fileServer(t, { '/in.csv': Buffer.from('a\n1\n') });
    server.faults.push(redirectTo('/in.csv'));
    assert.equal((await openSource(server.url('/in.csv'))).version.size, 4);
    server.faults.push(...Array.from({ length: 21 }, () => redirectTo('/in.csv')));
    await assert.rejects(openSource(server.url('/in.csv')), { message: /too many redirects/ });
  });

  it('is not written', async () => {
    await assert.rejects(resolveTarget('https://host/out.csv'), {
      code: 'unwritable_output',
      message: /can only be read/,
    });
  });

  it('has no secret in its name: a query or a password is refused without being shown', async () => {
    for (const name of ['https://host/in.csv?sig=SECRET', 'https://user:SECRET@host/in.csv'])
      await assert.rejects(openSource(name), (error: Error) => {
        assert.match(error.message, /https:\/\/host\/in\.csv: a URL with a query or a user/);
        assert.doesNotMatch(error.message, /SECRET/);
        return true;
      });
  });

  it('is read by a URL that is not shown, if it has one', async t => {
    const server = await fileServer(t, { '/in.csv': Buffer.from('a\n1\n') });
    const shown = server.url('/in.csv');
    let seen: string | undefined;
    server.faults.push(request => {
      seen = request.url;
      return false;
    });
    const secretUrls = new Map([[shown, `${shown}?sig=SECRET`]]);
    const source = await openSource(shown, false, undefined, backendsFor({ maxOutage: 0, secretUrls }));
    assert.deepEqual([seen, source.name], ['/in.csv?sig=SECRET', shown]);
    source.close();
  });
});
