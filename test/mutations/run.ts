// npm run test:mutations -- MUTATIONS [SEED] [PART OF A NAME]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutated, type Tally, tryMutations } from './accepted.ts';
import { convert, formats, kinds } from './conversions.ts';

const [most = '10000', seedText = String(Date.now() % 1_000_000), part = ''] = process.argv.slice(2);
const seed = Number(seedText);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), 'rowcast-mutations-'));
let failed = 0;
say(`${most} mutations of the outputs of each conversion, a tenth of them of its rejects; seed ${seed}`);
try {
  for (const from of formats)
    for (const to of formats) {
      if (!`${from} → ${to}`.includes(part)) continue;
      const tallies: Tally[] = [];
      for (const [index, kind] of kinds.entries()) {
        const finished = await convert(folder, from, to, kind);
        const each = Math.ceil(Number(most) / kinds.length);
        const shares: [Mutated, number][] = [
          ['output', Math.ceil(each * 0.9)],
          ['rejects', Math.floor(each * 0.1)],
        ];
        for (const [mutated, count] of shares)
          tallies.push(await tryMutations(finished, { count, seed: seed + index, mutated }));
      }
      for (const { name, failures } of tallies) for (const failure of failures) say(`${name}: ${failure}`);
      const sum = (of: (tally: Tally) => number): number =>
        tallies.reduce((total, tally) => total + of(tally), 0);
      const failures = sum(tally => tally.failures.length);
      failed += failures;
      say(
        `${from} → ${to}: ${sum(tally => tally.refused)} refused, ${sum(tally => tally.possible)} accepted as what another run writes, ${failures} wrong`,
      );
    }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
