// npm run test:crash -- KILLS [SEED] [MINUTES]
import { killAll } from './all-variants.ts';
import { type Phase, phases } from './moment.ts';

const [kills = 50, seed = Date.now() % 1_000_000, minutes = 60] = process.argv.slice(2).map(Number);
const until = performance.now() + minutes * 60_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

say(`${kills} kills, seed ${seed}, Node ${process.versions.node}`);
const tallies = await killAll({
  kills,
  seed,
  isOver: () => performance.now() > until,
  onTally: ({ variant, kills, resumes, phases, failures }) => {
    say(`${variant}: ${kills} kills (${described(phases)}), ${resumes} resumes, ${failures.length} failures`);
    for (const failure of failures) say(`  ${failure}`);
  },
});
const sum = (of: (tally: (typeof tallies)[number]) => number): number =>
  tallies.reduce((total, tally) => total + of(tally), 0);
const where = phases.map(phase => [phase, sum(tally => tally.phases[phase])] as const);
const failures = sum(tally => tally.failures.length);
say(
  `${sum(tally => tally.kills)} kills (${described(where)}), ${sum(tally => tally.resumes)} resumes, ` +
    `${tallies.length} variants, seed ${seed}: ${failures} failures`,
);
process.exitCode = failures === 0 ? 0 : 1;

function described(counts: Record<Phase, number> | (readonly [Phase, number])[]): string {
  const entries = Array.isArray(counts) ? counts : Object.entries(counts);
  return entries.map(([phase, count]) => `${count} ${phase}`).join(', ');
}
