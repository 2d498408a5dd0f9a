// npm run test:crash -- KILLS [SEED] [MINUTES [WORD]]: only variants whose names contain the word.

import { variants } from '../variants.ts';
import { killAll } from './all-variants.ts';
import { describeKills, sumOf, type Tally } from './kills.ts';

/** Kills of each variant per round, after which the sums so far are printed. */
const KILLS_OF_EACH = 6;

const [kills = 1000, seed = Date.now() % 1_000_000, minutes = 60] = process.argv.slice(2, 5).map(Number);
const [, , , , , word = ''] = process.argv;
const only = variants.filter(({ name }) => name.includes(word));
// A round covers all variants, so that all are covered when time runs out.
const round = KILLS_OF_EACH * Math.max(1, only.length);
const until = performance.now() + minutes * 60_000;
const isOver = (): boolean => performance.now() > until;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

say(`${kills} kills, seed ${seed}, Node ${process.versions.node}`);
const totals = new Map<string, Tally>();
for (let done = 0; done < kills && !isOver(); done += round) {
  for (const tally of await killAll({
    kills: Math.min(round, kills - done),
    seed: seed + done,
    only,
    isOver,
  })) {
    const total = totals.get(tally.variant);
    totals.set(tally.variant, total === undefined ? tally : sumOf(tally.variant, [total, tally]));
    for (const failure of tally.failures) say(`${tally.variant}: ${failure}`);
  }
  say(described(sumOf('so far', [...totals.values()])));
}
for (const tally of totals.values()) say(described(tally));
const all = sumOf(`${totals.size} variants, seed ${seed}`, [...totals.values()]);
say(described(all));
process.exitCode = all.failures.length === 0 ? 0 : 1;

function described(tally: Tally): string {
  const also = [
    ['failed syncs', tally.failedSyncs],
    ['with a truncated record', tally.truncated],
    ['within the earlier output', tally.reading],
  ] as const;
  const more = also.flatMap(([what, count]) => (count > 0 ? [`${count} of them ${what}`] : []));
  return `${describeKills(tally, more)}, ${tally.failures.length} failures`;
}
