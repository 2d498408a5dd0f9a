import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { hasReport } from '../../../src/models/store/report-store.ts';
import { reportFolder } from '../../../src/models/store/report-version.ts';
import { DiskQuota, sizeOfFolder } from '../../../src/web/quota.ts';
import { countReports } from '../../../src/web/trainings/trainings.ts';
import { ownTrainedHome } from '../../support/service/serving.ts';
import { until } from '../../support/until.ts';
import { type SignedIn, servingPlatform, signInWithKey } from '../../support/web/platform.ts';
import { statesOf } from '../../support/web/started-training.ts';
import { fixture, uploaded } from '../../support/web/uploaded.ts';

/** What the first page says to be used. */
const used = async (browser: SignedIn): Promise<string | undefined> =>
  / ([\d.]+ \w+) of [\d.]+ \w+ used/.exec((await browser.page('/')).replace(/<[^>]*>/g, ' '))?.[1];

/** A platform with data, of whose quota so many bytes are left. */
async function served(t: TestContext, left: number) {
  const home = await ownTrainedHome(t);
  const csv = await fixture('telecom-history.csv', 100);
  const data = await uploaded(home, csv);
  const dataBytes = (await sizeOfFolder(join(home, 'data', data))) + left;
  const browser = await signInWithKey(await servingPlatform(t, { home, dataBytes }), 'ann');
  const column = String(csv.split('\n', 1)[0]?.split(',').indexOf('churned'));
  const train = (): Promise<Response> =>
    browser.submit('/platform/trainings', { data, column, report: 'churn', replace: 'yes' });
  return { home, browser, train };
}

describe('the reports that are trained on the platform', () => {
  it('count against the quota of their key, also after a restart, until they are deleted', async t => {
    const { home, browser, train } = await served(t, 2 ** 30);
    const before = await used(browser);
    for (let training = 0; training < 2; training++) {
      const path = (await train()).headers.get('location') ?? '';
      const id = path.slice(path.indexOf('=') + 1);
      assert.equal((await statesOf({ browser }, id)).at(-1)?.status, 'finished');
    }
    await until(async () => (await used(browser)) !== before);
    const quota = new DiskQuota(1e9);
    await countReports(home, quota);
    const bytes = await sizeOfFolder(reportFolder(home, 'churn'));
    // Those of the command line do not count.
    assert.deepEqual([quota.used, quota.freeFor('ann')], [bytes, (1e9 - 2 * bytes) / 2]);
    assert.equal((await browser.submit('/platform/reports/churn/delete')).status, 303);
    assert.equal(await used(browser), before);
    const later = new DiskQuota(1e9);
    await countReports(home, later);
    assert.equal(later.used, 0);
  });

  it('are not trained if they would not fit', async t => {
    const { home, train } = await served(t, 100);
    const refused = await train();
    assert.equal(refused.status, 507);
    assert.match(await refused.text(), /The report does not fit: 50 bytes of .* are free for your key/);
    assert.equal(await hasReport(home, 'churn'), false);
  });
});
